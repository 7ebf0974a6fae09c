import type { FastifyRequest } from 'fastify';

/**
 * True if the caller prefers a stream. The caller must name `text/event-stream` and prefer it to JSON. Clients that
 * send no preference, accept everything, or also accept JSON, get the normal response.
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
