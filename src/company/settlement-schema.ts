import { idOf } from "./entry-id.ts";

/** The part of the schema for the settlements of closed months. */
export const SETTLEMENT_TABLE_SQL = `
-- Each entry that closes a month of an account. content: its settlement without the long lists, with the entry's
-- number and time. here_sales and here_micros: what
-- is here of that month, up to the entry that the settlement was made at.
CREATE TABLE flanco.settlement (
  company integer NOT NULL,
  gateway integer NOT NULL,
  branch integer NOT NULL,
  position bigint NOT NULL,
  account text NOT NULL,
  month text NOT NULL,
  content jsonb NOT NULL,
  here_sales bigint NOT NULL,
  here_micros bigint NOT NULL,
  PRIMARY KEY (company, gateway, branch, position)
);
CREATE INDEX settlement_by_month ON flanco.settlement (company, month);
`;

/** Refunds by the number of their sale. */
export const REFUND_INDEX_SQL = `CREATE INDEX entry_of_sale ON flanco.entry (company, gateway, refund_of) WHERE refund_of IS NOT NULL;
`;

export const SETTLEMENT_FUNCTION_SQL = `
-- Notes a settlement, and what is here of its month. An entry after its mark is as if it were not here, and what a correction after
-- it says; so are those of branches that were accepted later: their ids are higher.
CREATE OR REPLACE FUNCTION flanco.settle(owner flanco.gateway, number bigint, fields jsonb) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  said jsonb := ((fields ->> 9)::jsonb ->> 'report')::jsonb;
  since_ms bigint := said -> 'from';
  until_ms bigint := said -> 'until';
  mark bigint := ${idOf("owner.gateway", "owner.branch", "(said #>> '{mark,position}')::bigint")};
BEGIN
  INSERT INTO flanco.settlement
  SELECT owner.company, owner.gateway, owner.branch, number, fields ->> 5, said ->> 'month',
         said - ARRAY['locations', 'rooms', 'otherRooms', 'correctedMonths', 'corrections', 'gaps']
           || jsonb_build_object('number', fields -> 10, 'closed', fields -> 2),
         count(*) FILTER (WHERE e.refund_of IS NULL), coalesce(sum(e.valor_micros), 0)
    FROM (SELECT e.* FROM flanco.entry e
           WHERE e.company = owner.company AND e.gateway = owner.gateway AND e.effective_ms >= since_ms AND e.effective_ms < until_ms
             AND (e.moved_by IS NULL OR e.moved_by <= mark)
          UNION ALL
          SELECT e.* FROM flanco.entry e
           WHERE e.company = owner.company AND e.moved_by > mark AND e.moved_by < ${idOf("(owner.gateway + 1)", "0", "0")}
             AND (e.text::jsonb ->> 8)::bigint >= since_ms AND (e.text::jsonb ->> 8)::bigint < until_ms) e
   WHERE e.id <= mark AND (e.voided_by IS NULL OR e.voided_by > mark)
     -- A month may have hundreds of thousands of sales: parsing each would take seconds.
     AND starts_with(e.text, '["sale",' || e.position || ',"' || (settle.fields ->> 5) || '",');
END
$$;
`;
