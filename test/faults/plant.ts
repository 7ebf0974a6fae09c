import { registerHooks } from 'node:module';
import type { Edit } from './edits.ts';

/**
 * Node loads this module before the program in a process of the fault suite (`node --import`), and never anywhere else.
 * This module rewrites other modules while they are loaded, so production code has no switch for a fault. An edit whose
 * text does not occur exactly once ends the process, because a bug that is not planted proves nothing. This module also
 * replaces the clocks, which a test can change over the process's IPC channel.
 */
const { edits, crash } = JSON.parse(process.env.FAULT_PLANT ?? '{}') as { edits?: Edit[]; crash?: CrashOrder };
const ROOT = new URL('../../', import.meta.url).href;

if (edits && edits.length > 0) {
  registerHooks({
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context);
      const wanted = edits.filter((edit) => url === ROOT + edit.file);
      if (wanted.length === 0) return loaded;
      let source = Buffer.from(loaded.source as Uint8Array).toString();
      for (const { find, replace, file } of wanted) {
        const parts = source.split(find);
        if (parts.length !== 2) throw new Error(`"${find}" stands ${parts.length - 1} times in ${file}.`);
        source = parts.join(replace);
      }
      return { ...loaded, source };
    },
  });
}

/** The process kills itself when it passes this point for the given time, counted from the order. */
export type CrashOrder = { point: string; pass: number };

/** Every crash point calls this function, and the process ends before the next statement. */
let armed = crash;
let passed = 0;
(globalThis as { crashHere?: (point: string) => void }).crashHere = (point) => {
  if (point !== armed?.point) return;
  passed += 1;
  if (passed === armed.pass) process.kill(process.pid, 'SIGKILL');
};

/**
 * The value `wallMs` sets the wall clock. With `suspends`, the monotonic clock stops while the process is stopped, as
 * on a sleeping machine.
 */
export type ClockOrder = { wallMs?: number; suspends?: boolean };

const TICK_MS = 10;
/**
 * A longer gap between two reads of the clock means that the process was stopped. A busy process also has short gaps
 * between two reads of the clock, so STOPPED_MS is not smaller.
 */
const STOPPED_MS = 300;

if (process.send) {
  const realNow = Date.now;
  const realMonotonic = performance.now.bind(performance);
  const RealDate = Date;
  let shift = 0;
  let slept = 0;
  let seen = realMonotonic();
  let suspends = false;
  const monotonic = (): number => {
    const now = realMonotonic();
    if (suspends && now - seen > STOPPED_MS) slept += now - seen;
    seen = now;
    return now - slept;
  };
  performance.now = monotonic;
  globalThis.Date = class extends RealDate {
    constructor(...given: unknown[]) {
      if (given.length === 0) super(realNow() + shift);
      // oxlint-disable-next-line typescript/no-explicit-any -- whatever Date takes
      else super(...(given as [any]));
    }
    static override now = (): number => realNow() + shift;
  } as DateConstructor;
  setInterval(monotonic, TICK_MS).unref();
  process.on('message', ({ wallMs, suspends: asked, crash: point }: ClockOrder & { crash?: CrashOrder }) => {
    if (point !== undefined) {
      armed = point;
      passed = 0;
    }
    if (wallMs !== undefined) shift = wallMs;
    if (asked !== undefined) suspends = asked;
    process.send!('done');
  });
  process.channel?.unref();
}
