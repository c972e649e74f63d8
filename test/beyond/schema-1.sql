CREATE SCHEMA flanco;
REVOKE ALL ON SCHEMA flanco FROM PUBLIC;

CREATE TABLE flanco.version (version integer PRIMARY KEY);
INSERT INTO flanco.version VALUES (1);

CREATE TABLE flanco.company (
  company integer PRIMARY KEY,
  name text NOT NULL UNIQUE,
  time_zone text NOT NULL,
  page_role name UNIQUE
);

-- ledger: the identity of the ledger that sent last, which changes when it is restored on another machine. position and hash: the newest entry that
-- is here, of the branch that the gateway goes on with. newest: the newest that the gateway said it has.
CREATE TABLE flanco.gateway (
  company integer NOT NULL REFERENCES flanco.company,
  gateway integer NOT NULL CHECK (gateway BETWEEN 1 AND 65535),
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
  PRIMARY KEY (company, gateway),
  UNIQUE (company, name)
);

-- A restored ledger that was accepted goes on in a branch of its own from start on; what the branch before has from there on stays.
CREATE TABLE flanco.branch (
  company integer NOT NULL,
  gateway integer NOT NULL,
  branch integer NOT NULL CHECK (branch BETWEEN 1 AND 127),
  start bigint NOT NULL,
  PRIMARY KEY (company, gateway, branch)
);

-- text: the canonical form, from which hash follows with the hash of the entry before it. Of a sale: valor_micros, the time that
-- counts, and the ids of the corrections that void it and moved it. id: its number over all gateways.
CREATE TABLE flanco.entry (
  company integer NOT NULL,
  gateway integer NOT NULL,
  branch integer NOT NULL,
  position bigint NOT NULL CHECK (position BETWEEN 1 AND 1073741823),
  valor_micros bigint,
  effective_ms bigint,
  voided_by bigint,
  moved_by bigint,
  hash bytea NOT NULL,
  text text NOT NULL,
  id bigint NOT NULL GENERATED ALWAYS AS (((gateway::bigint << 37) | (branch::bigint << 30) | position)) STORED,
  PRIMARY KEY (company, gateway, branch, position)
);
CREATE INDEX entry_by_time ON flanco.entry (company, effective_ms, id) WHERE effective_ms IS NOT NULL;
CREATE INDEX entry_of_gateway ON flanco.entry (company, gateway, effective_ms, id) WHERE effective_ms IS NOT NULL;
CREATE INDEX entry_by_move ON flanco.entry (company, moved_by) WHERE moved_by IS NOT NULL;

-- A gateway whose ledger is not the one that is here, from position on: a restored backup, or another ledger. Nothing of it was
-- taken. branch: the one in which it was accepted.
CREATE TABLE flanco.fork (
  company integer NOT NULL,
  gateway integer NOT NULL,
  position bigint NOT NULL,
  ledger text NOT NULL,
  newest bigint NOT NULL,
  first_ms bigint NOT NULL,
  last_ms bigint NOT NULL,
  branch integer,
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

-- The local day of a moment, as a number that reads like one: 20261121.
CREATE FUNCTION flanco.day_of(zone text, ms bigint) RETURNS bigint
LANGUAGE sql STABLE PARALLEL SAFE
RETURN to_char(timezone(zone, to_timestamp(ms / 1000.0)), 'YYYYMMDD')::bigint;

-- The branch in which an entry is that the gateway's newest one follows from.
CREATE FUNCTION flanco.branch_of(owner flanco.gateway, number bigint) RETURNS integer
LANGUAGE sql STABLE
RETURN (SELECT max(b.branch) FROM flanco.branch b
         WHERE b.company = owner.company AND b.gateway = owner.gateway AND b.branch <= owner.branch AND b.start <= number);

CREATE FUNCTION flanco.hash_of(owner flanco.gateway, number bigint) RETURNS text
LANGUAGE sql STABLE
RETURN CASE WHEN number = 0 THEN repeat('0', 64) ELSE (
  SELECT encode(e.hash, 'hex') FROM flanco.entry e
   WHERE e.company = owner.company AND e.gateway = owner.gateway AND e.position = number
     AND e.branch = flanco.branch_of(owner, number)) END;


-- What was sold from the beginning of a period up to the end of each of its parts: so the parts from one to another are one
-- subtraction, and a year is one row. unit: what the parts are. month: those of a year (2026); day: those of a month
-- (202611), in the gateway's zone; half_hour: those of half a day of UTC, which are numbered since 1970, because midnight of some
-- zones comes twice. A row without location and device is of all of the gateway.
CREATE TABLE flanco.sum (
  company integer NOT NULL,
  gateway integer NOT NULL,
  unit text NOT NULL,
  period bigint NOT NULL,
  location text NOT NULL,
  device text NOT NULL,
  counts bigint[] NOT NULL,
  totals_micros bigint[] NOT NULL,
  PRIMARY KEY (company, gateway, unit, period, location, device)
) WITH (fillfactor = 80);

-- What has sold, and the name that it had last.
CREATE TABLE flanco.device (
  company integer NOT NULL,
  gateway integer NOT NULL,
  location text NOT NULL,
  device text NOT NULL,
  name text NOT NULL,
  since_ms bigint NOT NULL,
  PRIMARY KEY (company, gateway, location, device)
);
CREATE INDEX device_by_location ON flanco.device (company, location, device);
CREATE INDEX device_by_device ON flanco.device (company, device);

-- Adds sales of these times to the sums of their periods, or subtracts them.
CREATE FUNCTION flanco.add_sales(owner flanco.gateway, times bigint[], sales jsonb[], sign integer) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  WITH sold AS MATERIALIZED (
    SELECT day, half_hour, coalesce(location, '') AS location, coalesce(device, '') AS device,
           sign * count(*) AS count, sign * sum(micros) AS micros
      FROM (SELECT flanco.day_of(owner.time_zone, ms) AS day, ms / 1800000 AS half_hour,
                   fields ->> 3 AS location, fields ->> 5 AS device, (fields ->> 7)::bigint AS micros
              FROM unnest(times, sales) t(ms, fields)) t
     GROUP BY GROUPING SETS ((day, half_hour, location, device), (day, half_hour))
  ), parts AS MATERIALIZED (
    SELECT unit, period, part, location, device, sum(count) AS count, sum(micros) AS micros
      FROM sold CROSS JOIN LATERAL (VALUES
             ('month', day / 10000, day / 100 % 100), ('day', day / 100, day % 100), ('half_hour', half_hour / 24, half_hour % 24 + 1)
           ) p(unit, period, part)
     GROUP BY 1, 2, 3, 4, 5
  )
  INSERT INTO flanco.sum AS s
  SELECT owner.company, owner.gateway, unit, period, location, device,
         array_agg(count ORDER BY part), array_agg(micros ORDER BY part)
    FROM (SELECT unit, period, location, device, up_to.part,
                 coalesce(sum(count) FILTER (WHERE parts.part <= up_to.part), 0)::bigint AS count,
                 coalesce(sum(micros) FILTER (WHERE parts.part <= up_to.part), 0)::bigint AS micros
            FROM parts CROSS JOIN generate_series(1, 31) up_to(part) GROUP BY 1, 2, 3, 4, 5) summed
   GROUP BY unit, period, location, device
  ON CONFLICT (company, gateway, unit, period, location, device) DO UPDATE
     SET counts = ARRAY(SELECT a + b FROM unnest(s.counts, excluded.counts) t(a, b)),
         totals_micros = ARRAY(SELECT a + b FROM unnest(s.totals_micros, excluded.totals_micros) t(a, b));
END
$$;

-- What a correction says of an earlier sale, which is in the branch of this entry or in one before it.
CREATE FUNCTION flanco.correct(owner flanco.gateway, number bigint, fields jsonb) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  kind text := fields ->> 0;
  sale flanco.entry;
  moved_ms bigint := (fields ->> 3)::bigint;
  correction bigint := ((owner.gateway::bigint << 37) | (owner.branch::bigint << 30) | number);
BEGIN
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
-- outcome:
--   taken   all of them are here
--   behind  entries between head and after_at are missing here: to be sent
--   back    the ledger is another one from an entry before these on: to be sent from its first entry on, so that it can be found
--   fork    the ledger is another one from head on, of which nothing is taken
--   broken  the entry head does not follow from the one before it; what comes before it is taken
-- clock_off_ms: by how much the gateway's clock is ahead of this one's.
CREATE FUNCTION flanco.append(
  schema_version integer, identity text, after_at bigint, before_hash text, newest bigint, sent_ms bigint,
  hashes text[], texts text[],
  OUT outcome text, OUT head bigint, OUT head_hash text, OUT clock_off_ms bigint)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  owner flanco.gateway;
  now_ms bigint := floor(extract(epoch FROM clock_timestamp()) * 1000);
  latest bigint := newest;
  positions bigint[];
  given integer := cardinality(texts);
  forked_at bigint;
  bad bigint;
  times bigint[];
  sales jsonb[];
  line record;
BEGIN
  IF schema_version IS DISTINCT FROM 1 THEN
    RAISE EXCEPTION '1' USING ERRCODE = 'FL001';
  END IF;
  -- One call of a gateway at a time; those of others do not wait for it.
  SELECT * INTO owner FROM flanco.gateway g WHERE g.role = session_user FOR UPDATE;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'the role is no gateway' USING ERRCODE = 'FL002';
  END IF;
  clock_off_ms := sent_ms - now_ms;
  UPDATE flanco.gateway g
     SET seen_ms = now_ms, clock_off_ms = sent_ms - now_ms, newest = coalesce(latest, g.newest)
   WHERE g.company = owner.company AND g.gateway = owner.gateway;
  outcome := 'taken';
  head := owner.position;
  head_hash := owner.hash;
  IF identity IS NULL THEN RETURN; END IF;
  IF given NOT BETWEEN 1 AND 1000 OR given <> cardinality(hashes) THEN
    RAISE EXCEPTION '1 to 1000 entries, each with its hash' USING ERRCODE = 'FL003';
  END IF;
  positions := ARRAY(SELECT (t.text::jsonb ->> 1)::bigint FROM unnest(texts) WITH ORDINALITY t(text, n) ORDER BY t.n);

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
    INSERT INTO flanco.fork AS f VALUES (owner.company, owner.gateway, forked_at, identity, latest, now_ms, now_ms)
    ON CONFLICT (company, gateway, position, ledger)
    DO UPDATE SET newest = excluded.newest, last_ms = excluded.last_ms, branch = NULL;
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
    INSERT INTO flanco.entry
    SELECT owner.company, owner.gateway, owner.branch, position,
           CASE WHEN is_sale THEN (fields ->> 7)::bigint END, CASE WHEN is_sale THEN (fields ->> 8)::bigint END,
           NULL, NULL, decode(hash, 'hex'), text
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
     WHERE t.position > owner.position AND t.n <= given AND t.text ~ '^\["(void|time|lost)",' ORDER BY t.n
  LOOP
    PERFORM flanco.correct(owner, line.position, line.fields);
  END LOOP;

  UPDATE flanco.gateway g
     SET ledger = identity, position = greatest(owner.position, positions[given]),
         hash = CASE WHEN positions[given] > owner.position THEN hashes[given] ELSE owner.hash END
   WHERE g.company = owner.company AND g.gateway = owner.gateway
  RETURNING g.position, g.hash INTO head, head_hash;
  IF outcome = 'broken' THEN head := coalesce(positions[bad], head + 1); END IF;
END
$$;

-- A restored ledger goes on in a branch of its own from the fork on: the sales of both branches count.
CREATE FUNCTION flanco.accept_fork(owner_company integer, owner_gateway integer) RETURNS bigint
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  owner flanco.gateway;
  found_fork flanco.fork;
BEGIN
  SELECT * INTO owner FROM flanco.gateway g WHERE g.company = owner_company AND g.gateway = owner_gateway FOR UPDATE;
  SELECT * INTO found_fork FROM flanco.fork f
   WHERE f.company = owner_company AND f.gateway = owner_gateway AND f.branch IS NULL ORDER BY f.last_ms DESC LIMIT 1;
  IF NOT FOUND THEN RETURN NULL; END IF;
  INSERT INTO flanco.branch VALUES (owner.company, owner.gateway, owner.branch + 1, found_fork.position);
  UPDATE flanco.fork f SET branch = owner.branch + 1
   WHERE f.company = owner.company AND f.gateway = owner.gateway AND f.branch IS NULL;
  UPDATE flanco.gateway g
     SET branch = owner.branch + 1, ledger = found_fork.ledger, position = found_fork.position - 1,
         hash = flanco.hash_of(owner, found_fork.position - 1)
   WHERE g.company = owner.company AND g.gateway = owner.gateway;
  RETURN found_fork.position;
END
$$;

-- Makes a gateway with a role of its own, which may append and nothing else. verifier: what the database keeps of a password.
CREATE FUNCTION flanco.add_gateway(owner_company integer, gateway_name text, zone text, verifier text) RETURNS name
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  role_name name := 'flanco_' || gateway_name;
  number integer;
BEGIN
  SELECT coalesce(max(g.gateway), 0) + 1 INTO number FROM flanco.gateway g WHERE g.company = owner_company;
  EXECUTE format('CREATE ROLE %I LOGIN NOINHERIT CONNECTION LIMIT 4 PASSWORD %L', role_name, verifier);
  EXECUTE format('ALTER ROLE %I SET synchronous_commit = ''on''', role_name);
  EXECUTE format('GRANT USAGE ON SCHEMA flanco TO %I', role_name);
  EXECUTE format('GRANT EXECUTE ON FUNCTION flanco.append TO %I', role_name);
  INSERT INTO flanco.gateway (company, gateway, name, role, time_zone)
  VALUES (owner_company, number, gateway_name, role_name, zone);
  INSERT INTO flanco.branch VALUES (owner_company, number, 1, 1);
  RETURN role_name;
END
$$;

CREATE FUNCTION flanco.set_password(role_name name, verifier text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  EXECUTE format('ALTER ROLE %I PASSWORD %L', role_name, verifier);
END
$$;


CREATE TABLE flanco.member (
  company integer NOT NULL REFERENCES flanco.company,
  member text NOT NULL,
  role text NOT NULL,
  name text NOT NULL,
  email text NOT NULL,
  email_key text NOT NULL,
  password_hash text,
  link_hash text UNIQUE,
  link_ends_ms bigint,
  PRIMARY KEY (company, member),
  UNIQUE (company, email_key)
);

CREATE TABLE flanco.session (
  company integer NOT NULL,
  token_hash text NOT NULL,
  member text NOT NULL,
  begun_ms bigint NOT NULL,
  ends_ms bigint NOT NULL,
  PRIMARY KEY (company, token_hash),
  FOREIGN KEY (company, member) REFERENCES flanco.member ON DELETE CASCADE
);
CREATE INDEX session_by_member ON flanco.session (company, member, begun_ms);

CREATE FUNCTION flanco.now_ms() RETURNS bigint
LANGUAGE sql VOLATILE
RETURN floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint;

-- The company whose page signs in as this role; null for every other role.
CREATE FUNCTION flanco.company_of_page() RETURNS integer
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
RETURN (SELECT c.company FROM flanco.company c WHERE c.page_role = session_user);

-- The page of one company sees nothing of another, whatever it asks. Other roles see what they are granted.
DO $$
DECLARE
  name text;
BEGIN
  FOR name IN SELECT c.table_name FROM information_schema.columns c WHERE c.table_schema = 'flanco' AND c.column_name = 'company'
  LOOP
    EXECUTE format('ALTER TABLE flanco.%I ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format('CREATE POLICY own_company ON flanco.%I USING (
      (SELECT flanco.company_of_page()) IS NULL OR company = (SELECT flanco.company_of_page()))', name);
  END LOOP;
END
$$;

-- Makes the role of a company's page, which has one, or gives it another password.
CREATE FUNCTION flanco.set_page_role(owner_company integer, role_name name, verifier text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  UPDATE flanco.company c SET page_role = role_name WHERE c.company = owner_company AND c.page_role IS NULL;
  IF NOT FOUND THEN
    PERFORM flanco.set_password(c.page_role, verifier) FROM flanco.company c WHERE c.company = owner_company;
    RETURN;
  END IF;
  EXECUTE format('CREATE ROLE %I LOGIN NOINHERIT PASSWORD %L', role_name, verifier);
  EXECUTE format('GRANT USAGE ON SCHEMA flanco TO %I', role_name);
  EXECUTE format('GRANT SELECT ON ALL TABLES IN SCHEMA flanco TO %I', role_name);
  EXECUTE format('GRANT INSERT, UPDATE, DELETE ON flanco.member, flanco.session TO %I', role_name);
  EXECUTE format('GRANT EXECUTE ON FUNCTION flanco.now_ms TO %I', role_name);
END
$$;

REVOKE ALL ON ALL FUNCTIONS IN SCHEMA flanco FROM PUBLIC;
-- Asked by the policies of the tables, whoever reads them.
GRANT EXECUTE ON FUNCTION flanco.company_of_page TO PUBLIC;
