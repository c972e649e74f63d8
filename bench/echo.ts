// The echo: what a post costs in Koa with its usual router and body parser, where nothing is stored. Started by the
// benchmark; sends its port to the parent; stops on SIGTERM.
import type { AddressInfo } from "node:net";
import Router from "@koa/router";
import Koa from "koa";
import bodyParser from "koa-bodyparser";

const app = new Koa();
const router = new Router();
router.post("/data", (context) => {
  context.status = 201;
  context.body = { status: "success", message: "Data saved successfully" };
});
app.use(bodyParser());
app.use(router.routes());
const server = app.listen(0, "127.0.0.1", () => process.send?.((server.address() as AddressInfo).port));
process.once("SIGTERM", () => process.exit(0));
