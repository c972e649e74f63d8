import { MAX_TIME_MS } from "../domain/clock.ts";
import { CENTRAL_SCHEMA } from "../notify/central-sink.ts";
import { BRANCH_SQL, NOTED } from "./branch-schema.ts";
import { idOf, MAX_BRANCH, MAX_GATEWAY, MAX_POSITION } from "./entry-id.ts";
import { PAGE_FUNCTIONS_SQL, PAGE_TABLES_SQL, POLICIES_SQL, TOLD_SQL } from "./page-schema.ts";
import { REFUND_INDEX_SQL, SETTLEMENT_FUNCTION_SQL, SETTLEMENT_TABLE_SQL } from "./settlement-schema.ts";
import { SUM_FUNCTIONS_SQL, SUM_TABLES_SQL } from "./sum-schema.ts";

/** The most entries of one call of `append`. */
export const MAX_BATCH = 1_000;

/** The most characters of a report, which has 32 faults with some details at most. */
const MAX_REPORT = 32_768;

/** The most characters of a gateway's own zone or currency that are kept. */
const MAX_OWN = 60;

/**
 * The company's database, on PostgreSQL 15 or later. Every key begins with company and gateway:
 * nothing is counted or locked across gateways. Amounts are whole millionths, times Unix milliseconds.
 *
 * A gateway's role may call `append`, which runs with its owner's rights, and nothing else.
 */
const TABLES_SQL = `
CREATE SCHEMA flanco;
REVOKE ALL ON SCHEMA flanco FROM PUBLIC;

CREATE TABLE flanco.version (version integer PRIMARY KEY);
INSERT INTO flanco.version VALUES (${CENTRAL_SCHEMA});

CREATE TABLE flanco.company (
  company integer PRIMARY KEY,
  name text NOT NULL UNIQUE,
  time_zone text NOT NULL,
  page_role name UNIQUE,
  currency text NOT NULL DEFAULT 'EUR'
);

-- ledger: the identity of the ledger that sent last, which changes when it is restored on another machine. position and hash: the newest entry that
-- is here, of the branch that the gateway goes on with. newest: the newest that the gateway said it has. own_zone, own_currency: those
-- of the gateway's settings, as it said last. report: what it last told of itself. version_ms: since when it has told that version.
CREATE TABLE flanco.gateway (
  company integer NOT NULL REFERENCES flanco.company,
  gateway integer NOT NULL CHECK (gateway BETWEEN 1 AND ${MAX_GATEWAY}),
  name text NOT NULL,
  role name NOT NULL UNIQUE,
  time_zone text NOT NULL,
  ledger text,
  branch integer NOT NULL DEFAULT 1,
  position bigint NOT NULL DEFAULT 0,
  hash text NOT NULL DEFAULT repeat('0', 64),
  newest bigint NOT NULL DEFAULT 0,
  seen_ms bigint,
  clock_off_ms bigint NOT NULL DEFAULT 0,
  own_zone text,
  own_currency text,
  report jsonb,
  version_ms bigint,
  PRIMARY KEY (company, gateway),
  UNIQUE (company, name)
);

-- A restored ledger that was accepted goes on in a branch of its own from start on; what its parent has from there on stays.
-- parent: null for a ledger of which nothing is in another branch.
CREATE TABLE flanco.branch (
  company integer NOT NULL,
  gateway integer NOT NULL,
  branch integer NOT NULL CHECK (branch BETWEEN 1 AND ${MAX_BRANCH}),
  start bigint NOT NULL,
  parent integer,
  PRIMARY KEY (company, gateway, branch)
);

-- text: the canonical form, from which hash follows with the hash of the entry before it. Of a sale: valor_micros, the time that
-- counts, and the ids of the corrections that void it and moved it. id: its number over all gateways. refund_of: of a refund, its
-- sale's number in the account.
CREATE TABLE flanco.entry (
  company integer NOT NULL,
  gateway integer NOT NULL,
  branch integer NOT NULL,
  position bigint NOT NULL CHECK (position BETWEEN 1 AND ${MAX_POSITION}),
  valor_micros bigint,
  effective_ms bigint,
  voided_by bigint,
  moved_by bigint,
  hash bytea NOT NULL,
  text text NOT NULL,
  id bigint NOT NULL GENERATED ALWAYS AS (${idOf("gateway", "branch", "position")}) STORED,
  refund_of bigint,
  PRIMARY KEY (company, gateway, branch, position)
);
CREATE INDEX entry_by_time ON flanco.entry (company, effective_ms, id) WHERE effective_ms IS NOT NULL;
CREATE INDEX entry_of_gateway ON flanco.entry (company, gateway, effective_ms, id) WHERE effective_ms IS NOT NULL;
CREATE INDEX entry_by_move ON flanco.entry (company, moved_by) WHERE moved_by IS NOT NULL;
${REFUND_INDEX_SQL}
-- A gateway whose ledger is not the one that is here, from position on: a restored backup, or another ledger. Nothing of it was
-- taken from there on. parent: the branch that has its entry before. branch: the one in which it was accepted. One that was not
-- accepted ends once a ledger that is here goes on.
CREATE TABLE flanco.fork (
  company integer NOT NULL,
  gateway integer NOT NULL,
  position bigint NOT NULL,
  ledger text NOT NULL,
  newest bigint NOT NULL,
  first_ms bigint NOT NULL,
  last_ms bigint NOT NULL,
  branch integer,
  parent integer,
  PRIMARY KEY (company, gateway, position, ledger)
);

-- Entries that the gateway lost before they came here: mark ties the entry after them to the gateway's own entry that tells of
-- them, which is told_by once it came.
CREATE TABLE flanco.hole (
  company integer NOT NULL,
  gateway integer NOT NULL,
  branch integer NOT NULL,
  first bigint NOT NULL,
  last bigint NOT NULL,
  mark text NOT NULL,
  told_by bigint,
  PRIMARY KEY (company, gateway, branch, first)
);
${SUM_TABLES_SQL}
${PAGE_TABLES_SQL}${SETTLEMENT_TABLE_SQL}`;

/** The functions, which every version makes anew. */
const FUNCTIONS_SQL = `
-- The local day of a moment, as a number that reads like one: 20261121.
CREATE OR REPLACE FUNCTION flanco.day_of(zone text, ms bigint) RETURNS bigint
LANGUAGE sql STABLE PARALLEL SAFE
RETURN to_char(timezone(zone, to_timestamp(ms / 1000.0)), 'YYYYMMDD')::bigint;

-- The branch in which an entry is that the gateway's newest one follows from.
CREATE OR REPLACE FUNCTION flanco.branch_of(owner flanco.gateway, number bigint) RETURNS integer
LANGUAGE sql STABLE
RETURN (
  WITH RECURSIVE line AS (
    SELECT b.* FROM flanco.branch b
     WHERE b.company = owner.company AND b.gateway = owner.gateway AND b.branch = owner.branch
    UNION ALL
    SELECT b.* FROM line l JOIN flanco.branch b USING (company, gateway) WHERE b.branch = l.parent AND l.start > number
  )
  SELECT l.branch FROM line l WHERE l.start <= number);

-- The branch that has an entry of this number and hash; null where none has.
CREATE OR REPLACE FUNCTION flanco.branch_with(owner flanco.gateway, number bigint, entry_hash text) RETURNS integer
LANGUAGE sql STABLE
RETURN (
  SELECT b.branch FROM flanco.branch b CROSS JOIN LATERAL (
           SELECT e.hash FROM flanco.entry e
            WHERE e.company = b.company AND e.gateway = b.gateway AND e.branch = b.branch AND e.position = number LIMIT 1) e
   WHERE b.company = owner.company AND b.gateway = owner.gateway AND encode(e.hash, 'hex') = entry_hash LIMIT 1);

-- The number of the newest entry that a branch has.
CREATE OR REPLACE FUNCTION flanco.head_of(of flanco.branch) RETURNS bigint
LANGUAGE sql STABLE
RETURN coalesce((SELECT max(e.position) FROM flanco.entry e
                  WHERE e.company = of.company AND e.gateway = of.gateway AND e.branch = of.branch), of.start - 1);

CREATE OR REPLACE FUNCTION flanco.hash_of(owner flanco.gateway, number bigint) RETURNS text
LANGUAGE sql STABLE
RETURN CASE WHEN number = 0 THEN repeat('0', 64) ELSE (
  SELECT encode(e.hash, 'hex') FROM flanco.entry e
   WHERE e.company = owner.company AND e.gateway = owner.gateway AND e.position = number
     AND e.branch = flanco.branch_of(owner, number)) END;

${SUM_FUNCTIONS_SQL}${SETTLEMENT_FUNCTION_SQL}
-- What an entry that is no sale says: a correction of an earlier sale, which is in the branch of this entry or in one before it, or
-- a settlement.
CREATE OR REPLACE FUNCTION flanco.correct(owner flanco.gateway, number bigint, fields jsonb) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  kind text := fields ->> 0;
  sale flanco.entry;
  moved_ms bigint := CASE kind WHEN 'time' THEN (fields ->> 3)::bigint END;
  correction bigint := ${idOf("owner.gateway", "owner.branch", "number")};
BEGIN
  IF kind = 'month_closed' THEN
    PERFORM flanco.settle(owner, number, fields);
    RETURN;
  END IF;
  IF kind = 'lost' THEN
    UPDATE flanco.hole SET told_by = number
     WHERE company = owner.company AND gateway = owner.gateway AND first = (fields ->> 4)::bigint
       AND last = (fields ->> 5)::bigint AND mark = fields ->> 6 AND told_by IS NULL;
    RETURN;
  END IF;
  SELECT * INTO sale FROM flanco.entry e
   WHERE e.company = owner.company AND e.gateway = owner.gateway AND e.position = (fields ->> 2)::bigint
     AND e.effective_ms IS NOT NULL
     AND e.branch = flanco.branch_of(owner, (fields ->> 2)::bigint);
  -- Of a sale that was lost before it came here.
  IF NOT FOUND THEN RETURN; END IF;
  IF sale.voided_by IS NULL THEN
    PERFORM flanco.add_sales(owner, ARRAY[sale.effective_ms], ARRAY[sale.text::jsonb], -1);
    IF kind = 'time' THEN PERFORM flanco.add_sales(owner, ARRAY[moved_ms], ARRAY[sale.text::jsonb], 1); END IF;
  END IF;
  UPDATE flanco.entry e
     SET voided_by = CASE WHEN kind = 'void' THEN coalesce(e.voided_by, correction) ELSE e.voided_by END,
         effective_ms = CASE WHEN kind = 'time' THEN moved_ms ELSE e.effective_ms END,
         moved_by = CASE WHEN kind = 'time' THEN correction ELSE e.moved_by END
   WHERE e.company = sale.company AND e.gateway = sale.gateway AND e.branch = sale.branch AND e.position = sale.position;
END
$$;

-- Takes entries of the caller's ledger in their order: each hash must follow from the one before it and the entry's text. What is
-- here already is left alone, so that the same call may be made again.
--   identity     the ledger's; null for a call that says only that the gateway is there
--   after_at     nothing of the ledger is between this number and the first entry given
--   before_hash  the hash of the entry before the first one given; null where the ledger lost it
--   newest       the number of the ledger's newest entry
--   sent_ms      the gateway's clock
--   own_zone, own_currency   those of its settings; null from version 1
--   report       what it tells of itself; null for none, which leaves the one before
-- outcome:
--   taken   all of them are here
--   behind  entries between head and after_at are missing here: to be sent
--   back    the ledger is another one from an entry before these on: to be sent from its first entry on, so that it can be found
--   fork    the ledger is another one from head on, of which nothing is taken from there on
--   broken  the entry head does not follow from the one before it; what comes before it is taken
-- clock_off_ms: by how much the gateway's clock is ahead of this one's. zone, currency: those that its sales are added up by here.
CREATE OR REPLACE FUNCTION flanco.append(
  schema_version integer, identity text, after_at bigint, before_hash text, newest bigint, sent_ms bigint,
  hashes text[], texts text[], own_zone text DEFAULT NULL, own_currency text DEFAULT NULL,
  report jsonb DEFAULT NULL,
  OUT outcome text, OUT head bigint, OUT head_hash text, OUT clock_off_ms bigint, OUT zone text, OUT currency text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  owner flanco.gateway;
  now_ms bigint := floor(extract(epoch FROM clock_timestamp()) * 1000);
  -- A number that nobody may add to would keep the page from reading all gateways of the company.
  latest bigint := least(greatest(newest, 0), ${MAX_POSITION + 1});
  positions bigint[];
  given integer := cardinality(texts);
  known record;
  forked_at bigint;
  bad bigint;
  times bigint[];
  sales jsonb[];
  line record;
BEGIN
  IF schema_version NOT BETWEEN 1 AND ${CENTRAL_SCHEMA} THEN
    RAISE EXCEPTION '${CENTRAL_SCHEMA}' USING ERRCODE = 'FL001';
  END IF;
  -- One call of a gateway at a time; those of others do not wait for it.
  SELECT * INTO owner FROM flanco.gateway g WHERE g.role = session_user FOR UPDATE;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'the role is no gateway' USING ERRCODE = 'FL002';
  END IF;
  clock_off_ms := least(greatest(sent_ms, 0), ${MAX_TIME_MS}) - now_ms;
  zone := owner.time_zone;
  SELECT c.currency INTO currency FROM flanco.company c WHERE c.company = owner.company;
  UPDATE flanco.gateway g
     SET seen_ms = now_ms, clock_off_ms = append.clock_off_ms,
         own_zone = left(append.own_zone, ${MAX_OWN}), own_currency = left(append.own_currency, ${MAX_OWN})
   WHERE g.company = owner.company AND g.gateway = owner.gateway;
  IF length(append.report::text) <= ${MAX_REPORT} THEN
    UPDATE flanco.gateway g
       SET report = append.report,
           version_ms = CASE WHEN g.report ->> 'version' = append.report ->> 'version' THEN g.version_ms ELSE now_ms END
     WHERE g.company = owner.company AND g.gateway = owner.gateway;
  END IF;
  outcome := 'taken';
  head := owner.position;
  head_hash := owner.hash;
  IF identity IS NULL THEN RETURN; END IF;
  IF given NOT BETWEEN 1 AND ${MAX_BATCH} OR given <> cardinality(hashes) THEN
    RAISE EXCEPTION '1 to ${MAX_BATCH} entries, each with its hash' USING ERRCODE = 'FL003';
  END IF;
  positions := ARRAY(SELECT (t.text::jsonb ->> 1)::bigint FROM unnest(texts) WITH ORDINALITY t(text, n) ORDER BY t.n);

  -- An entry is here if any branch has its number and hash. What is new must follow from the newest entry of a branch: the
  -- ledgers of all branches may go on, each in its own.
  IF positions[1] <> owner.position + 1 OR before_hash IS DISTINCT FROM owner.hash
     OR flanco.branch_with(owner, positions[1], hashes[1]) IS NOT NULL THEN
    SELECT t.position, flanco.branch_with(owner, t.position, t.hash) AS branch INTO known
      FROM (SELECT positions[1] - 1, before_hash UNION ALL SELECT * FROM unnest(positions, hashes)) t(position, hash)
     WHERE flanco.branch_with(owner, t.position, t.hash) IS NOT NULL ORDER BY t.position DESC LIMIT 1;
    IF FOUND OR positions[1] = 1 THEN
      SELECT b.branch, h.position INTO owner.branch, owner.position
        FROM flanco.branch b CROSS JOIN LATERAL (SELECT flanco.head_of(b)) h(position)
       WHERE b.company = owner.company AND b.gateway = owner.gateway
         AND (b.branch = known.branch
              OR (b.parent IS NOT DISTINCT FROM known.branch AND b.start = coalesce(known.position, 0) + 1))
       ORDER BY h.position = coalesce(known.position, 0) DESC, b.branch DESC LIMIT 1;
      owner.hash := flanco.hash_of(owner, owner.position);
      head := owner.position;
      head_hash := owner.hash;
    END IF;
  END IF;

  IF positions[1] = owner.position + 1 AND before_hash <> owner.hash THEN
    forked_at := positions[1];
  ELSE
    SELECT min(t.position) INTO forked_at FROM unnest(positions, hashes) t(position, hash)
     WHERE t.position <= owner.position AND t.hash IS DISTINCT FROM flanco.hash_of(owner, t.position);
    -- A restored ledger that has not gone on yet.
    IF forked_at IS NULL AND latest < owner.position AND positions[given] = latest THEN forked_at := latest + 1; END IF;
  END IF;
  IF forked_at = positions[1] AND forked_at > 1 AND before_hash IS DISTINCT FROM flanco.hash_of(owner, forked_at - 1) THEN
    outcome := 'back';
    head := 0;
    head_hash := flanco.hash_of(owner, 0);
    RETURN;
  END IF;
  IF forked_at IS NOT NULL THEN
    outcome := 'fork';
    head := forked_at;
    INSERT INTO flanco.fork AS f
    VALUES (owner.company, owner.gateway, forked_at, identity, latest, now_ms, now_ms, NULL, flanco.branch_of(owner, forked_at - 1))
    ON CONFLICT (company, gateway, position, ledger)
    DO UPDATE SET newest = excluded.newest, last_ms = excluded.last_ms, parent = excluded.parent, branch = NULL;
    RETURN;
  END IF;
  IF after_at > owner.position THEN
    outcome := 'behind';
    RETURN;
  END IF;

  -- The first of the new entries that does not follow. After a hole nothing can be recomputed: the hole is named instead.
  SELECT min(g.n) INTO bad FROM (
    SELECT t.n, t.position, t.hash, t.text,
           coalesce(lag(t.position) OVER (ORDER BY t.n), owner.position) AS position_before,
           coalesce(lag(t.hash) OVER (ORDER BY t.n), owner.hash) AS hash_before
      FROM unnest(positions, hashes, texts) WITH ORDINALITY t(position, hash, text, n)
     WHERE t.position > owner.position) g
   WHERE g.position <= g.position_before OR g.position IS NULL OR g.hash !~ '^[0-9a-f]{64}$'
      OR (g.position = g.position_before + 1
          AND g.hash <> encode(sha256(convert_to(g.hash_before || g.text, 'UTF8')), 'hex'));
  IF bad IS NOT NULL THEN
    outcome := 'broken';
    given := bad - 1;
  END IF;

  INSERT INTO flanco.hole
  SELECT owner.company, owner.gateway, owner.branch, g.position_before + 1, g.position - 1,
         encode(sha256(convert_to(g.hash || g.text, 'UTF8')), 'hex')
    FROM (SELECT t.position, t.hash, t.text, coalesce(lag(t.position) OVER (ORDER BY t.n), owner.position) AS position_before
            FROM unnest(positions, hashes, texts) WITH ORDINALITY t(position, hash, text, n)
           WHERE t.position > owner.position AND t.n <= given) g
   WHERE g.position > g.position_before + 1;

  WITH fresh AS MATERIALIZED (
    SELECT t.position, t.hash, t.text, t.text::jsonb AS fields, t.text LIKE '["sale",%' AS is_sale
      FROM unnest(positions, hashes, texts) WITH ORDINALITY t(position, hash, text, n)
     WHERE t.position > owner.position AND t.n <= given
  ), stored AS (
    INSERT INTO flanco.entry (company, gateway, branch, position, valor_micros, effective_ms, hash, text, refund_of)
    SELECT owner.company, owner.gateway, owner.branch, position,
           CASE WHEN is_sale THEN (fields ->> 7)::bigint END, CASE WHEN is_sale THEN (fields ->> 8)::bigint END,
           decode(hash, 'hex'), text, CASE WHEN is_sale THEN (fields ->> 17)::bigint END
      FROM fresh
  ), sellers AS (
    INSERT INTO flanco.device AS d
    SELECT owner.company, owner.gateway, fields ->> 3, fields ->> 5,
           (array_agg(fields ->> 4 ORDER BY position DESC))[1], min((fields ->> 8)::bigint)
      FROM fresh WHERE is_sale GROUP BY 3, 4
    ON CONFLICT (company, gateway, location, device) DO UPDATE SET name = excluded.name WHERE d.name <> excluded.name
  )
  SELECT array_agg((fields ->> 8)::bigint), array_agg(fields) INTO times, sales FROM fresh WHERE is_sale;
  IF times IS NOT NULL THEN PERFORM flanco.add_sales(owner, times, sales, 1); END IF;

  FOR line IN
    SELECT t.position, t.text::jsonb AS fields FROM unnest(positions, texts) WITH ORDINALITY t(position, text, n)
     WHERE t.position > owner.position AND t.n <= given AND t.text ~ '${NOTED}' ORDER BY t.n
  LOOP
    PERFORM flanco.correct(owner, line.position, line.fields);
  END LOOP;

  UPDATE flanco.gateway g
     SET ledger = identity, branch = owner.branch, position = greatest(owner.position, positions[given]),
         newest = CASE WHEN positions[given] > owner.position THEN latest ELSE g.newest END,
         hash = CASE WHEN positions[given] > owner.position THEN hashes[given] ELSE owner.hash END
   WHERE g.company = owner.company AND g.gateway = owner.gateway
  RETURNING g.position, g.hash INTO head, head_hash;
  IF head > owner.position THEN
    DELETE FROM flanco.fork f WHERE f.company = owner.company AND f.gateway = owner.gateway AND f.branch IS NULL;
  END IF;
  IF outcome = 'broken' THEN head := coalesce(positions[bad], head + 1); END IF;
END
$$;

${BRANCH_SQL}
-- Makes a gateway with a role of its own, which may append and nothing else. verifier: what the database keeps of a password.
CREATE OR REPLACE FUNCTION flanco.add_gateway(owner_company integer, gateway_name text, zone text, verifier text) RETURNS name
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  role_name name := 'flanco_' || gateway_name;
  number integer;
BEGIN
  SELECT coalesce(max(g.gateway), 0) + 1 INTO number FROM flanco.gateway g WHERE g.company = owner_company;
  PERFORM flanco.let_in(role_name, verifier);
  INSERT INTO flanco.gateway (company, gateway, name, role, time_zone)
  VALUES (owner_company, number, gateway_name, role_name, zone);
  INSERT INTO flanco.branch VALUES (owner_company, number, 1, 1, NULL);
  RETURN role_name;
END
$$;

-- Gives a role its password, and makes it where it is missing, as in a database that was restored on another server: roles are no
-- part of its dump. Ends the connections that an earlier password has opened.
CREATE OR REPLACE FUNCTION flanco.set_password(role_name name, verifier text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM pg_roles r WHERE r.rolname = role_name) THEN
    EXECUTE format('CREATE ROLE %I LOGIN NOINHERIT PASSWORD %L', role_name, verifier);
    RETURN;
  END IF;
  EXECUTE format('ALTER ROLE %I PASSWORD %L', role_name, verifier);
  -- Only a member of the role, or a superuser, may end its connections.
  EXECUTE format('GRANT %I TO CURRENT_USER', role_name);
  PERFORM pg_terminate_backend(a.pid) FROM pg_stat_activity a WHERE a.usename = role_name;
  EXECUTE format('REVOKE %I FROM CURRENT_USER', role_name);
END
$$;

-- The same for a gateway's role, with its rights: it may append and nothing else.
CREATE OR REPLACE FUNCTION flanco.let_in(role_name name, verifier text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  PERFORM flanco.set_password(role_name, verifier);
  EXECUTE format('ALTER ROLE %I CONNECTION LIMIT 4', role_name);
  EXECUTE format('ALTER ROLE %I SET synchronous_commit = ''on''', role_name);
  EXECUTE format('GRANT USAGE ON SCHEMA flanco TO %I', role_name);
  EXECUTE format('GRANT EXECUTE ON FUNCTION flanco.append TO %I', role_name);
END
$$;

${PAGE_FUNCTIONS_SQL}
REVOKE ALL ON ALL FUNCTIONS IN SCHEMA flanco FROM PUBLIC;
-- Asked by the policies of the tables, whoever reads them.
GRANT EXECUTE ON FUNCTION flanco.company_of_page TO PUBLIC;
`;

/** The SQL that makes the schema in a database without one. */
export const SCHEMA_SQL = `${TABLES_SQL}${FUNCTIONS_SQL}${POLICIES_SQL}`;

/** What brings the tables from the version before to each version; the functions are then made anew. */
const MIGRATIONS: Readonly<Record<number, string>> = {
  2: `
ALTER TABLE flanco.company ADD currency text NOT NULL DEFAULT 'EUR';
ALTER TABLE flanco.gateway ADD own_zone text, ADD own_currency text;
ALTER TABLE flanco.branch ADD parent integer;
UPDATE flanco.branch SET parent = branch - 1 WHERE start > 1;
ALTER TABLE flanco.fork ADD parent integer;
UPDATE flanco.fork f SET parent = g.branch FROM flanco.gateway g
 WHERE g.company = f.company AND g.gateway = f.gateway AND f.position > 1;
DROP FUNCTION flanco.append(integer, text, bigint, text, bigint, bigint, text[], text[]);
`,
  3: `
ALTER TABLE flanco.gateway ADD report jsonb, ADD version_ms bigint;
DROP FUNCTION IF EXISTS flanco.append(integer, text, bigint, text, bigint, bigint, text[], text[], text, text);
${TOLD_SQL}
${openToPage("told", "SELECT, INSERT, UPDATE, DELETE")}`,
  4: `
ALTER TABLE flanco.entry ADD refund_of bigint;
${REFUND_INDEX_SQL}${SETTLEMENT_TABLE_SQL}
${openToPage("settlement", "SELECT")}`,
};

/** What needs the functions of this version: gateways that were newer than the schema have sent refunds and settlements. */
const AFTERWARDS: Readonly<Record<number, string>> = {
  4: `
UPDATE flanco.entry e SET refund_of = (e.text::jsonb ->> 17)::bigint WHERE e.valor_micros < 0;
SELECT flanco.add_up(g) FROM flanco.gateway g
 WHERE EXISTS (SELECT FROM flanco.entry e WHERE e.company = g.company AND e.gateway = g.gateway
                  AND (e.refund_of IS NOT NULL OR e.text LIKE '["month_closed",%'));
`,
};

/** A further table, of which the page of one company sees nothing of another's. */
function openToPage(table: string, rights: string): string {
  return `
ALTER TABLE flanco.${table} ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_company ON flanco.${table} USING (
  (SELECT flanco.company_of_page()) IS NULL OR company = (SELECT flanco.company_of_page()));
DO $$
DECLARE
  own name;
BEGIN
  FOR own IN SELECT c.page_role FROM flanco.company c JOIN pg_roles r ON r.rolname = c.page_role LOOP
    EXECUTE format('GRANT ${rights} ON flanco.${table} TO %I', own);
  END LOOP;
END
$$;
`;
}

/** The SQL that brings an older schema to this version, in one transaction; undefined where none does. */
export function upgradeSql(from: number): string | undefined {
  const steps = Object.entries(MIGRATIONS).filter(([to]) => Number(to) > from);
  if (steps.length === 0 || steps.length !== CENTRAL_SCHEMA - from) return undefined;
  const tables = steps.map(([, sql]) => sql).join("");
  const afterwards = steps.map(([to]) => AFTERWARDS[Number(to)] ?? "").join("");
  return `${tables}${FUNCTIONS_SQL}${afterwards}
UPDATE flanco.version SET version = ${CENTRAL_SCHEMA};
DO $$
DECLARE
  own name;
BEGIN
  FOR own IN SELECT g.role FROM flanco.gateway g JOIN pg_roles r ON r.rolname = g.role LOOP
    EXECUTE format('GRANT EXECUTE ON FUNCTION flanco.append TO %I', own);
  END LOOP;
END
$$;`;
}
