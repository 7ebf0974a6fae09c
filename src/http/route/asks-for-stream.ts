import type { FastifyRequest } from 'fastify';

/**
 * Whether the caller asks for a stream: `text/event-stream` by name, and rather than JSON. Clients that say nothing, take
 * everything, or take JSON as well, get what they always got.
 */
export function asksForStream(request: FastifyRequest): boolean {
  const ranges = (request.headers.accept ?? '').toLowerCase().split(',');
  const quality = (name: string): number => {
    const range = ranges.map((one) => one.split(';').map((part) => part.trim())).find(([type]) => type === name);
    if (!range) return 0;
    const given = range.find((part) => part.startsWith('q='))?.slice(2);
    return given === undefined ? 1 : Number(given) || 0;
  };
  const stream = quality('text/event-stream');
  return stream > quality('application/json');
}
