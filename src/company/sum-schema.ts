/** The most parts of a period (a year, a month or a day) in a row of sums. */
export const MAX_PARTS = 31;

/**
 * The part of the schema for the sums of a company's sales; its
 * function adds a sale in the transaction of its entry.
 */
export const SUM_TABLES_SQL = `
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
`;

export const SUM_FUNCTIONS_SQL = `
-- Adds sales of these times to the sums of their periods, or subtracts them. A refund is money that went back, and no sale.
CREATE OR REPLACE FUNCTION flanco.add_sales(owner flanco.gateway, times bigint[], sales jsonb[], sign integer) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  WITH sold AS MATERIALIZED (
    SELECT day, half_hour, coalesce(location, '') AS location, coalesce(device, '') AS device,
           sign * count(*) FILTER (WHERE refund_of IS NULL) AS count, sign * sum(micros) AS micros
      FROM (SELECT flanco.day_of(owner.time_zone, ms) AS day, ms / 1800000 AS half_hour,
                   fields ->> 3 AS location, fields ->> 5 AS device, (fields ->> 7)::bigint AS micros, fields ->> 17 AS refund_of
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
            FROM parts CROSS JOIN generate_series(1, ${MAX_PARTS}) up_to(part) GROUP BY 1, 2, 3, 4, 5) summed
   GROUP BY unit, period, location, device
  ON CONFLICT (company, gateway, unit, period, location, device) DO UPDATE
     SET counts = ARRAY(SELECT a + b FROM unnest(s.counts, excluded.counts) t(a, b)),
         totals_micros = ARRAY(SELECT a + b FROM unnest(s.totals_micros, excluded.totals_micros) t(a, b));
END
$$;
`;
