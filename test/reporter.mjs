// Mocha's own spec reporter with one plain closing line that any reader of a log can count by.
import mocha from "mocha";

export default class Reporter extends mocha.reporters.Spec {
  /** @override */
  epilogue() {
    super.epilogue();
    console.log(`${this.stats.passes} passed, ${this.stats.failures} failed`);
  }
}
