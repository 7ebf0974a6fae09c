import { type DestinationStream, type Logger, pino, stdSerializers, stdTimeFunctions } from 'pino';
import { prettyFactory } from 'pino-pretty';
import { redact } from './redact.ts';
import { withSourceLocations } from './source-locations.ts';

export type { Logger } from 'pino';

export type LogOptions = {
  level: string;
  /** True: the log is readable text for terminals. False: each line of the log is one JSON object. */
  pretty: boolean;
  /** By default, the log goes to standard output, buffered, and is flushed at exit and by `fatal`. */
  destination?: DestinationStream;
};

/** The buffer waits for this many bytes or for a quarter of a second, so one write serves many requests. */
const BUFFER_BYTES = 4_096;
const FLUSH_EVERY_MS = 250;
/** If a reader stalls, lines above this limit are dropped, so that they do not fill the memory. */
const MAX_WAITING_BYTES = 16 * 1024 * 1024;

/** Creates the only logger of the process. Credentials are removed from every line before it is written (redact.ts). */
export function createLogger({ level, pretty, destination }: LogOptions): Logger {
  return pino(
    {
      level,
      base: undefined,
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: withoutValues },
      hooks: { streamWrite: (line) => redact(withSourceLocations(line)) },
    },
    pretty ? forPeople(destination) : (destination ?? standardOutput()),
  );
}

/** The members of database errors that contain values. */
const VALUES = ['params', 'detail', 'where'];
const MAX_CAUSES = 8;

/**
 * Drizzle adds the values of a failed statement to its error, and PostgreSQL adds values of the row. The values may be
 * texts of people or secrets, so the log contains the statement and the reason without them.
 */
function withoutValues(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const logged = stdSerializers.err(error);
  for (const name of VALUES) delete logged[name];
  for (let at: unknown = error, depth = 0; at instanceof Error && depth < MAX_CAUSES; at = at.cause, depth++) {
    const { message } = at;
    const [statement = ''] = message.split('\nparams: ', 1);
    if (statement === message) continue;
    logged.message = logged.message.replace(message, () => statement);
    logged.stack = logged.stack.replace(message, () => statement);
  }
  return logged;
}

const standardOutput = (): DestinationStream =>
  lossy(
    pino.destination({
      dest: 1,
      sync: false,
      minLength: BUFFER_BYTES,
      periodicFlush: FLUSH_EVERY_MS,
      maxLength: MAX_WAITING_BYTES,
    }),
  );

/**
 * A closed terminal or a full disk may lose log lines but must never stop the program. A line that cannot be written
 * waits for the next line. At exit and after `fatal`, there is no retry, because a retry would never end.
 */
function lossy(out: ReturnType<typeof pino.destination>): DestinationStream {
  let isRefused = false;
  out.on('error', () => (isRefused = true));
  out.on('write', () => (isRefused = false));
  const flushNow = out.flushSync.bind(out);
  out.flushSync = () => {
    if (!isRefused) flushNow();
  };
  return out;
}

/**
 * The members of a request's log line (src/http/edge/request-log.ts). On a terminal, the members of a request's log
 * line become one short line.
 */
const REQUEST = ['method', 'route', 'status', 'ms', 'code', 'request_id', 'key_id', 'org_id', 'cut_off'];

function forPeople(destination: DestinationStream | undefined): DestinationStream {
  const out = destination ?? lossy(pino.destination({ dest: 1, sync: true }));
  const format = prettyFactory({
    colorize: destination === undefined && process.stdout.isTTY && process.stdout.hasColors(),
    singleLine: true,
    translateTime: 'SYS:HH:MM:ss.l',
    ignore: ['pid', 'hostname', ...REQUEST].join(','),
    messageFormat: (log, messageKey) => {
      const { method, route, status, ms, code, request_id: requestId } = log;
      const text = log[messageKey] as string | undefined;
      if (method === undefined) return [text, code, requestId].filter(Boolean).join(' ');
      const duration = typeof ms === 'number' ? `${ms.toFixed(ms < 10 ? 1 : 0)} ms` : '';
      const message = text === 'request' ? '' : text;
      return [status, method, route, code, duration, requestId, log.cut_off && 'cut off', message]
        .filter(Boolean)
        .join(' ');
    },
  });
  return { write: (line) => out.write(format(line)) };
}
