/** A release that cannot be made, in words for whoever builds it. */
export class ReleaseFailure extends Error {
  override readonly name = "ReleaseFailure";
}
