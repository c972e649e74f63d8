// The bare server: the least that Koa with better-sqlite3 does from its start to its first answer. Started by the benchmark
// with a database file and a port as its arguments; stops on SIGTERM.
import Database from "better-sqlite3";
import Koa from "koa";

const [file, port] = process.argv.slice(2);
const db = new Database(file);
db.pragma("journal_mode = WAL");
db.exec(
  "CREATE TABLE IF NOT EXISTS record (record_id INTEGER PRIMARY KEY, valor_micros INTEGER NOT NULL) STRICT",
);
const count = db.prepare("SELECT count(*) FROM record").pluck();
const app = new Koa();
app.use((context) => {
  context.body = { records: count.get() };
});
app.listen(Number(port), "127.0.0.1");
process.once("SIGTERM", () => process.exit(0));
