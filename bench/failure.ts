/** The benchmark could not measure, or what it measured is not right: its exit code is 1. */
export class BenchFailure extends Error {
  override readonly name = "BenchFailure";
}
