import type { listAudit } from "../../contract/audit.ts";
import type { compareClinics, getCompanyStatus } from "../../contract/clinic.ts";
import type { getAcceptanceReport, getCommission, listAcceptanceReports } from "../../contract/commission.ts";
import type { AnswerOf, errorAnswer, Shape } from "../../contract/declaration.ts";
import type { listDevices, listRooms } from "../../contract/device.ts";
import type { listLines, listTestedEdges, readLine } from "../../contract/line.ts";
import type { listLocations } from "../../contract/location.ts";
import type { getSelf, linkMember, listMembers } from "../../contract/member.ts";
import type { allowMove } from "../../contract/move.ts";
import type { getOverview } from "../../contract/overview.ts";
import type { listGaps, listRecords, sumRecords } from "../../contract/record.ts";
import type { getLetterhead, getReport } from "../../contract/report.ts";
import type { listSetups, testSink } from "../../contract/sink.ts";
import type { getStatus } from "../../contract/status.ts";
import type { listPrices, listWirings } from "../../contract/wiring.ts";

/** The API's answers, by the names that the page has for them. */
export type ErrorAnswer = Shape<typeof errorAnswer>;
export type UserAnswer = AnswerOf<typeof getSelf>;
export type StatusAnswer = AnswerOf<typeof getStatus>;
export type CompanyStatusAnswer = AnswerOf<typeof getCompanyStatus>;
export type ClinicsAnswer = AnswerOf<typeof compareClinics>;
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
export type CommissionAnswer = AnswerOf<typeof getCommission>;
export type AcceptanceReportsAnswer = AnswerOf<typeof listAcceptanceReports>;
export type AcceptanceReportAnswer = AnswerOf<typeof getAcceptanceReport>;

export type MoveCodeAnswer = AnswerOf<typeof allowMove>;
export type MembersAnswer = AnswerOf<typeof listMembers>;
export type LinkAnswer = AnswerOf<typeof linkMember>;

export type SetupsAnswer = AnswerOf<typeof listSetups>;
export type SinkTestAnswer = AnswerOf<typeof testSink>;

export type Setup = SetupsAnswer["data"][number];
export type SinkState = StatusAnswer["data"]["sinks"][number];
export type Member = MembersAnswer["data"][number];
export type User = UserAnswer["data"];
export type Status = StatusAnswer["data"];
/** What every view may know: of a gateway or of a company. */
export type SiteStatus = Status | CompanyStatusAnswer["data"];
export type ClinicComparison = ClinicsAnswer["data"];
export type Clinic = ClinicComparison["clinics"][number];
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
export type Commission = CommissionAnswer["data"];
export type CommissionedRoom = Commission["rooms"][number];
export type AcceptanceReport = AcceptanceReportAnswer["data"];
export type Gap = GapsAnswer["data"][number];
export type AuditEntry = AuditAnswer["data"][number];
