/** The texts of entries that are no sales and change what is here, as a pattern. */
export const NOTED = String.raw`^\["(void|time|lost|month_closed)",`;

/**
 * The part of the schema for what an administrator decides of a gateway's ledgers,
 * and for adding up again what its entries say.
 */
export const BRANCH_SQL = `
-- A restored ledger goes on in a branch of its own from the fork on: the sales of both branches count. Gives its first entry; null
-- where there is no fork, or a ledger that is here has gone on since.
CREATE OR REPLACE FUNCTION flanco.accept_fork(owner_company integer, owner_gateway integer) RETURNS bigint
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  owner flanco.gateway;
  accepted flanco.fork;
BEGIN
  SELECT * INTO owner FROM flanco.gateway g WHERE g.company = owner_company AND g.gateway = owner_gateway FOR UPDATE;
  SELECT * INTO accepted FROM flanco.fork f
   WHERE f.company = owner_company AND f.gateway = owner_gateway AND f.branch IS NULL ORDER BY f.last_ms DESC LIMIT 1;
  IF NOT FOUND THEN RETURN NULL; END IF;
  SELECT max(b.branch) + 1 INTO owner.branch FROM flanco.branch b WHERE b.company = owner_company AND b.gateway = owner_gateway;
  INSERT INTO flanco.branch VALUES (owner_company, owner_gateway, owner.branch, accepted.position, accepted.parent);
  UPDATE flanco.fork f SET branch = owner.branch
   WHERE f.company = owner_company AND f.gateway = owner_gateway AND f.position = accepted.position AND f.ledger = accepted.ledger;
  PERFORM flanco.go_on_in(owner);
  RETURN accepted.position;
END
$$;

-- The way back from accept_fork: the newest branch that was accepted goes, with its sales and what they changed of earlier ones.
-- Gives its first entry; null where none was accepted.
CREATE OR REPLACE FUNCTION flanco.undo_accept(owner_company integer, owner_gateway integer) RETURNS bigint
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  owner flanco.gateway;
  gone flanco.branch;
BEGIN
  SELECT * INTO owner FROM flanco.gateway g WHERE g.company = owner_company AND g.gateway = owner_gateway FOR UPDATE;
  SELECT * INTO gone FROM flanco.branch b
   WHERE b.company = owner_company AND b.gateway = owner_gateway AND b.branch > 1 ORDER BY b.branch DESC LIMIT 1;
  IF NOT FOUND THEN RETURN NULL; END IF;
  DELETE FROM flanco.entry e WHERE e.company = owner_company AND e.gateway = owner_gateway AND e.branch = gone.branch;
  DELETE FROM flanco.hole h WHERE h.company = owner_company AND h.gateway = owner_gateway AND h.branch = gone.branch;
  DELETE FROM flanco.fork f WHERE f.company = owner_company AND f.gateway = owner_gateway AND f.branch = gone.branch;
  DELETE FROM flanco.branch b WHERE b.company = owner_company AND b.gateway = owner_gateway AND b.branch = gone.branch;
  owner.branch := coalesce(gone.parent, 1);
  PERFORM flanco.go_on_in(owner), flanco.add_up(owner);
  RETURN gone.start;
END
$$;

-- Forgets the ledgers that differ, until one calls again. Gives the first entry of the newest; null where there is none.
CREATE OR REPLACE FUNCTION flanco.dismiss_fork(owner_company integer, owner_gateway integer) RETURNS bigint
LANGUAGE sql SET search_path = pg_catalog, pg_temp
BEGIN ATOMIC
  WITH gone AS (
    DELETE FROM flanco.fork f WHERE f.company = owner_company AND f.gateway = owner_gateway AND f.branch IS NULL RETURNING f.*
  )
  SELECT g.position FROM gone g ORDER BY g.last_ms DESC LIMIT 1;
END;

-- The gateway stands at the newest entry of that branch.
CREATE OR REPLACE FUNCTION flanco.go_on_in(owner flanco.gateway) RETURNS void
LANGUAGE sql SET search_path = pg_catalog, pg_temp
BEGIN ATOMIC
  UPDATE flanco.gateway g
     SET branch = owner.branch, position = flanco.head_of(b), hash = flanco.hash_of(owner, flanco.head_of(b))
    FROM flanco.branch b
   WHERE g.company = owner.company AND g.gateway = owner.gateway
     AND b.company = g.company AND b.gateway = g.gateway AND b.branch = owner.branch;
END;

-- Its days are those of another zone from here on, and those that have been.
CREATE OR REPLACE FUNCTION flanco.set_zone(owner_company integer, owner_gateway integer, zone text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  owner flanco.gateway;
BEGIN
  UPDATE flanco.gateway g SET time_zone = zone WHERE g.company = owner_company AND g.gateway = owner_gateway RETURNING * INTO owner;
  PERFORM flanco.add_up(owner);
END
$$;

-- Adds up all sales of a gateway again, by its zone.
CREATE OR REPLACE FUNCTION flanco.add_up(owner flanco.gateway) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  line record;
BEGIN
  DELETE FROM flanco.settlement s WHERE s.company = owner.company AND s.gateway = owner.gateway;
  DELETE FROM flanco.sum s WHERE s.company = owner.company AND s.gateway = owner.gateway;
  UPDATE flanco.hole h SET told_by = NULL WHERE h.company = owner.company AND h.gateway = owner.gateway;
  UPDATE flanco.entry e SET effective_ms = (e.text::jsonb ->> 8)::bigint, voided_by = NULL, moved_by = NULL
   WHERE e.company = owner.company AND e.gateway = owner.gateway AND (e.voided_by IS NOT NULL OR e.moved_by IS NOT NULL);
  FOR line IN
    SELECT array_agg(e.effective_ms) AS times, array_agg(e.text::jsonb) AS sales FROM flanco.entry e
     WHERE e.company = owner.company AND e.gateway = owner.gateway AND e.effective_ms IS NOT NULL
     GROUP BY e.branch, e.position / 10000
  LOOP
    PERFORM flanco.add_sales(owner, line.times, line.sales, 1);
  END LOOP;
  FOR line IN
    SELECT e.branch, e.position, e.text::jsonb AS fields FROM flanco.entry e
     WHERE e.company = owner.company AND e.gateway = owner.gateway AND e.text ~ '${NOTED}'
     ORDER BY e.branch, e.position
  LOOP
    owner.branch := line.branch;
    PERFORM flanco.correct(owner, line.position, line.fields);
  END LOOP;
END
$$;
`;
