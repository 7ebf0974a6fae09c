/** One thing that the doctor looked at. `cure` is there when something is to be done. */
export type Check = { name: string; status: 'ok' | 'warn' | 'fail' | 'skipped'; detail: string; cure?: string };
