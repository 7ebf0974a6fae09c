import { request } from 'node:http';

// oxlint-disable-next-line typescript/no-explicit-any -- tests look into it freely
export type Event = { event: string; data: any; id: string | null };

/** Reads a stream of server-sent events over a real socket. */
export type Stream = {
  status: number;
  type: string | undefined;
  header(name: string): string | undefined;
  /**
   * Returns the next event with this name and skips earlier events. The promise rejects when the stream ends before the
   * event.
   */
  next(event: string): Promise<Event>;
  /** Returns all further events until the stream ends. */
  rest(): Promise<Event[]>;
  /** Returns all events so far with this name. */
  seen(event: string): Event[];
  /** Returns the text that a page would now show for the unfinished message. */
  shown(): string;
  isOpen(): boolean;
  /** Stops reading the stream. */
  pause(): void;
  close(): void;
};

type Options = { method?: string; key?: string; body?: unknown; headers?: Record<string, string> };

export function openStream(url: string, { method = 'GET', key, body, headers }: Options = {}): Promise<Stream> {
  const events: Event[] = [];
  const waiting = new Set<() => void>();
  let read = 0;
  let isOpen = true;
  let text = '';
  const wake = () => waiting.forEach((go) => go());
  const changed = () =>
    new Promise<void>((resolve) => {
      const go = () => {
        waiting.delete(go);
        resolve();
      };
      waiting.add(go);
    });

  const take = (part: string): void => {
    const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(part)?.[1];
    const event = field('event');
    if (event) events.push({ event, data: JSON.parse(field('data')!), id: field('id') ?? null });
  };

  return new Promise((resolve, reject) => {
    const call = request(
      url,
      {
        method,
        headers: {
          ...(key && { authorization: `Bearer ${key}` }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...headers,
        },
      },
      (answer) => {
        answer.setEncoding('utf8');
        answer.on('data', (more: string) => {
          text += more;
          for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
            take(text.slice(0, end));
            text = text.slice(end + 2);
          }
          wake();
        });
        answer.on('error', () => {});
        answer.on('close', () => {
          isOpen = false;
          wake();
        });
        resolve({
          status: answer.statusCode!,
          type: answer.headers['content-type'],
          header: (name) => answer.headers[name] as string | undefined,
          next: async (event) => {
            for (;;) {
              while (read < events.length) {
                const one = events[read++]!;
                if (one.event === event) return one;
              }
              if (!isOpen) throw new Error(`The stream ended without "${event}".`);
              await changed();
            }
          },
          rest: async () => {
            while (isOpen) await changed();
            return events.slice(read);
          },
          seen: (event) => events.filter((one) => one.event === event),
          shown: () =>
            events.reduce((shown, { event, data }) => {
              if (event === 'delta') return shown + data.text;
              return event === 'replace' ? data.text : event === 'message' ? '' : shown;
            }, ''),
          isOpen: () => isOpen,
          pause: () => answer.pause(),
          close: () => call.destroy(),
        });
      },
    );
    call.on('error', (error) => {
      isOpen = false;
      wake();
      reject(error);
    });
    call.end(body === undefined ? undefined : JSON.stringify(body));
  });
}
