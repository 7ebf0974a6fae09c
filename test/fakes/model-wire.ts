import type { IncomingHttpHeaders } from 'node:http';

export type WireFormat = 'openai_compatible' | 'openai' | 'anthropic' | 'google';

export type ModelReply =
  /** The text `reasoning` is the earlier reasoning of the model, in the format of its provider. */
  | { text: string; used?: Used; reasoning?: string }
  /** The fake sends the pieces one by one, each when `next` resolves, and ends the stream as `ending` says. */
  | { pieces: string[]; next?: (piece: number) => Promise<void>; ending?: StreamEnd }
  /** `times`: the number of equal calls in one answer of an OpenAI-compatible server. */
  | { tool: string; args: Record<string, unknown>; text?: string; times?: number }
  | { empty: 'stop' | 'filtered' }
  | { status: number; message?: string; headers?: Record<string, string> }
  | { garbage: 'not_json' | 'truncated' | 'wrong_shape' | 'broken_off' }
  | { stall: 'before_headers' | 'in_body' };

/** The token counts that the provider reports. The count `input` includes the cached tokens. */
export type Used = { input: number; cached: number; output: number };

// oxlint-disable-next-line typescript/no-explicit-any -- four foreign formats, read by tests
export type Json = any;

export type RecordedCall = { format: WireFormat; path: string; headers: IncomingHttpHeaders; body: Json };

/**
 * The end of a stream. `cut` breaks the connection. `short` is a clean end without the provider's final frame. `half`
 * is a clean end in the middle of a frame. `garbage` is a frame that is no JSON. `error` is the provider's own error
 * frame. `only_error` is this frame twice without any other frame. `stall` sends no further data.
 */
export type StreamEnd = 'cut' | 'short' | 'half' | 'garbage' | 'error' | 'only_error' | 'stall';

export type Success = Extract<ModelReply, { text: string } | { tool: string } | { empty: string }>;

export type Wire = {
  format: WireFormat;
  path: RegExp;
  isAuthorized(headers: IncomingHttpHeaders, key: string): boolean;
  /** Returns the reason why the real provider would refuse this body, or null if the body is valid. */
  fault(body: Json, path: string): string | null;
  lastWords(body: Json): string;
  success(reply: Success, body: Json): unknown;
  failure(status: number, message: string): unknown;
};
