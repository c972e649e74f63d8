import { expect } from "chai";
import { Appliance, PASSWORD, type SignedInUser } from "./appliance.ts";
import { HeldHasher } from "./held-hasher.ts";

describe("Signing in while the account changes", () => {
  const passwords = new HeldHasher();
  let appliance: Appliance;
  let user: SignedInUser;

  before(async () => {
    appliance = await Appliance.open({ passwords });
  });
  beforeEach(async () => {
    passwords.meanwhile = () => Promise.resolve();
    user = await appliance.addUser();
  });
  after(() => appliance.close());

  function login() {
    return appliance.api.post("/api/login").send({ email: user.email, password: PASSWORD });
  }

  function ownSessions(): number {
    return appliance.reader.sessions().filter(({ userId }) => userId === user.id).length;
  }

  it("gives a session while nothing happens: the others differ in one thing", async () => {
    await login().expect(200);
    expect(ownSessions()).to.equal(2);
  });

  it("is refused when the password is changed after it was compared: the old one signs nobody in", async () => {
    passwords.meanwhile = () => appliance.writer.setPassword(user.id, "$2b$10$another");
    const response = await login().expect(401);
    expect(response.body).to.deep.equal({ status: "error", error: "Invalid Credentials" });
    expect(response.headers).not.to.have.property("set-cookie");
    expect(ownSessions()).to.equal(0);
  });

  it("is refused when the user is removed after the password was compared", async () => {
    passwords.meanwhile = () => appliance.writer.removeUser(user.id, true);
    const response = await login().expect(401);
    expect(response.body).to.deep.equal({ status: "error", error: "Invalid Credentials" });
    expect(response.headers).not.to.have.property("set-cookie");
  });
});
