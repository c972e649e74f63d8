import { ClinicsView } from "../clinics/clinics-view.tsx";
import { GatewaysView } from "../clinics/gateways-view.tsx";
import { ClinicSettlementsView } from "../clinics/settlements-view.tsx";
import { CommissionView } from "../commission/commission-view.tsx";
import { GuideView } from "../guide/guide-view.tsx";
import { LinesView } from "../lines/lines-view.tsx";
import { PricesView } from "../lines/prices-view.tsx";
import { LocationsView } from "../locations/locations-view.tsx";
import { PeopleView } from "../people/people-view.tsx";
import { SelfView } from "../people/self-view.tsx";
import { RecordsView } from "../records/records-view.tsx";
import { ReportView } from "../report/report-view.tsx";
import { RoomsView } from "../rooms/rooms-view.tsx";
import { SettlementView } from "../settlement/settlement-view.tsx";
import { NoticesView } from "../state/notices-view.tsx";
import { StateView } from "../state/state-view.tsx";

/** The views that an opening of the page seldom begins with: a file of their own, which comes when the page stands. */
export const SELDOM_VIEWS = {
  clinics: ClinicsView,
  gateways: GatewaysView,
  settlements: ClinicSettlementsView,
  rooms: RoomsView,
  records: RecordsView,
  report: ReportView,
  settlement: SettlementView,
  prices: PricesView,
  locations: LocationsView,
  lines: LinesView,
  commission: CommissionView,
  notices: NoticesView,
  state: StateView,
  people: PeopleView,
  guide: GuideView,
  self: SelfView,
} as const;
