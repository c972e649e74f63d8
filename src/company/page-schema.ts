export const TOLD_SQL = `
-- What people were told of by notices: the states of clinics, by the sink that has them. told_ms: null where it is not told yet.
-- gone_ms: since when it is over, which is not told yet; then the row goes. The process that tells a sink holds the row of
-- sink '' and clinic = that sink.
CREATE TABLE flanco.told (
  company integer NOT NULL REFERENCES flanco.company,
  sink text NOT NULL,
  clinic text NOT NULL,
  state text NOT NULL,
  since_ms bigint NOT NULL,
  told_ms bigint,
  gone_ms bigint,
  PRIMARY KEY (company, sink, clinic, state)
);
`;

/**
 * The part of the schema for the company's page: its members and sessions,
 * and the page's role, which reads all of the company and writes members, sessions
 * and what people were told of alone. Passwords are stored as bcrypt hashes, tokens as SHA-256.
 */
export const PAGE_TABLES_SQL = `
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
${TOLD_SQL}`;

export const PAGE_FUNCTIONS_SQL = `
CREATE OR REPLACE FUNCTION flanco.now_ms() RETURNS bigint
LANGUAGE sql VOLATILE
RETURN floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint;

-- The company whose page signs in as this role; null for every other role.
CREATE OR REPLACE FUNCTION flanco.company_of_page() RETURNS integer
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
RETURN (SELECT c.company FROM flanco.company c WHERE c.page_role = session_user);

-- Makes the role of a company's page, which has one, or gives it another password.
CREATE OR REPLACE FUNCTION flanco.set_page_role(owner_company integer, role_name name, verifier text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  own name;
BEGIN
  UPDATE flanco.company c SET page_role = coalesce(c.page_role, role_name) WHERE c.company = owner_company RETURNING c.page_role INTO own;
  PERFORM flanco.set_password(own, verifier);
  EXECUTE format('GRANT USAGE ON SCHEMA flanco TO %I', own);
  EXECUTE format('GRANT SELECT ON ALL TABLES IN SCHEMA flanco TO %I', own);
  EXECUTE format('GRANT INSERT, UPDATE, DELETE ON flanco.member, flanco.session, flanco.told TO %I', own);
  EXECUTE format('GRANT EXECUTE ON FUNCTION flanco.now_ms TO %I', own);
END
$$;
`;

export const POLICIES_SQL = `
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
`;
