import type { listAudit } from "../../contract/audit.ts";
import type { AnswerOf, Shape } from "../../contract/declaration.ts";
import type { listDevices } from "../../contract/device.ts";
import type { errorAnswer } from "../../contract/error.ts";
import type { listGaps } from "../../contract/gap.ts";
import type { listLines, readLine } from "../../contract/line.ts";
import type { listTestedEdges } from "../../contract/line-test.ts";
import type { listLocations } from "../../contract/location.ts";
import type { getSelf, linkMember, listMembers } from "../../contract/member.ts";
import type { getOverview } from "../../contract/overview.ts";
import type { listRecords, sumRecords } from "../../contract/record.ts";
import type { getLetterhead, getReport } from "../../contract/report.ts";
import type { listRooms } from "../../contract/room.ts";
import type { getStatus } from "../../contract/status.ts";
import type { listPrices, listWirings } from "../../contract/wiring.ts";

/** The API's answers, by the names that the page has for them. */
export type ErrorAnswer = Shape<typeof errorAnswer>;
export type UserAnswer = AnswerOf<typeof getSelf>;
export type StatusAnswer = AnswerOf<typeof getStatus>;
export type OverviewAnswer = AnswerOf<typeof getOverview>;
export type RecordsAnswer = AnswerOf<typeof listRecords>;
export type RecordSumAnswer = AnswerOf<typeof sumRecords>;
export type RoomsAnswer = AnswerOf<typeof listRooms>;
export type ReportAnswer = AnswerOf<typeof getReport>;
export type GapsAnswer = AnswerOf<typeof listGaps>;
export type LetterheadAnswer = AnswerOf<typeof getLetterhead>;
export type LocationsAnswer = AnswerOf<typeof listLocations>;
export type DevicesAnswer = AnswerOf<typeof listDevices>;
export type LinesAnswer = AnswerOf<typeof listLines>;
export type LevelAnswer = AnswerOf<typeof readLine>;
export type TestedEdgesAnswer = AnswerOf<typeof listTestedEdges>;
export type WiringAnswer = AnswerOf<typeof listWirings>;
export type AuditAnswer = AnswerOf<typeof listAudit>;

export type MembersAnswer = AnswerOf<typeof listMembers>;
export type LinkAnswer = AnswerOf<typeof linkMember>;

export type Member = MembersAnswer["data"][number];
export type User = UserAnswer["data"];
export type Status = StatusAnswer["data"];
export type Fault = Status["faults"][number];
export type LastEdge = Status["lastEdges"][number];
export type Overview = OverviewAnswer["data"];
export type StoredRecord = RecordsAnswer["data"][number];
export type Report = ReportAnswer["data"];
export type Letterhead = LetterheadAnswer["data"];
export type Location = LocationsAnswer["data"][number];
export type Device = DevicesAnswer["data"][number];
/** Every line of the machine, by chip. */
export type Board = LinesAnswer["data"];
export type Chip = Board["chips"][number];
export type Line = Chip["lines"][number];
export type Wiring = WiringAnswer["data"][number];
export type TestedEdge = TestedEdgesAnswer["data"][number];
export type PricesAnswer = AnswerOf<typeof listPrices>;
export type Price = PricesAnswer["data"][number];
export type Gap = GapsAnswer["data"][number];
export type AuditEntry = AuditAnswer["data"][number];
