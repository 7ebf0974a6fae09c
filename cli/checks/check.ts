/** The result of one check of the doctor. The member `fix` is present if an action is necessary. */
export type Check = { name: string; status: 'ok' | 'warn' | 'fail' | 'skipped'; detail: string; fix?: string };
