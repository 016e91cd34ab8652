// A machine whose clock is wrong, by so many milliseconds: loaded before the program.
const shift = Number(process.env.PARLEY_TEST_CLOCK ?? 0);
const { now } = Date;
globalThis.Date = class extends Date {
  constructor(...args) {
    if (args.length === 0) super(now() + shift);
    else super(...args);
  }

  static now() {
    return now() + shift;
  }
};
