/** The guest could not be built, booted or heard of. Its text is for people and says what to look at. */
export class GuestFailure extends Error {
  override readonly name = "GuestFailure";
  /** True when the time given ran out, false for everything else. */
  readonly timedOut: boolean;

  constructor(message: string, timedOut = false) {
    super(message);
    this.timedOut = timedOut;
  }
}
