/** Counts the turns of the event loop, until its end. */
export class Turns {
  count = 0;
  #next: NodeJS.Immediate;

  constructor() {
    const turn = () => {
      this.count += 1;
      this.#next = setImmediate(turn);
    };
    this.#next = setImmediate(turn);
  }

  end(): void {
    clearImmediate(this.#next);
  }
}
