import { LeakReport, MAX_UNSIGNED_LEAKS } from '../../../../contract/leak-report.ts';
import { invalidAt, Refusal } from '../../../../contract/problems.ts';
import { Type } from 'typebox';
import type { LeakReportLimit } from '../../../access/limits/leak-report-limit.ts';
import type { ApiKeysDeps } from '../../../features/api-keys/deps.ts';
import { reportLeakedKeys } from '../../../features/api-keys/report-leaked-keys.ts';
import { readSignature, type ScannerKeys } from '../../../kernel/scanner-signature.ts';
import { parseJson } from '../../edge/body.ts';
import type { Route } from '../../route/route.ts';
import { compileBody } from '../../../kernel/validation/validate.ts';

export type LeakRoutesDeps = ApiKeysDeps & { leakReportLimit: LeakReportLimit; scanners: ScannerKeys };

const MAX_REPORT_BYTES = 256 * 1024;
/** The limit has space for a thousand entries, with members that scanners may add to them. */
const MAX_REPORT_KEYS = 10_000;
const check = compileBody(LeakReport);

/** A secret scanner, or any person who finds a key, reports the key to this endpoint. */
export const reportLeakedRoute = (deps: LeakRoutesDeps): Route => ({
  method: 'POST',
  path: '/api/keys/leaked',
  access: 'public',
  operation: {
    id: 'reportLeakedKeys',
    summary: 'Report leaked keys',
    description: `Revokes leaked API keys immediately and notifies their owners. The call needs no key: a caller who has the full value has proven the leak. The body has the format of GitHub's secret scanning partner program. A report signed by a scanner whose key the operator has configured (\`PARLEY_LEAK_REPORT_KEYS\`) has a higher rate limit and may contain 1,000 entries, any other report ${MAX_UNSIGNED_LEAKS}. The response is the same for known, unknown and already revoked keys.`,
    tag: 'Keys',
    example: [
      {
        token: 'parley_us_00000000000000000000000000000000000000000002oqYZW',
        type: 'parley_api_key',
        url: 'https://github.com/example/shop/blob/main/.env',
        source: 'content',
      },
    ],
    examples: { 200: [] },
  },
  rawBody: MAX_REPORT_BYTES,
  body: LeakReport,
  headers: {
    'Github-Public-Key-Identifier': { description: 'The name of the scanner’s key.' },
    'Github-Public-Key-Signature': { description: 'ECDSA P-256 with SHA-256 over the raw body, in base64.' },
  },
  responses: {
    200: {
      schema: Type.Array(Type.Unknown(), { maxItems: 0 }),
      description: 'Accepted. The response is always the empty list, whatever the report contains.',
    },
  },
  problems: ['signature_invalid', 'rate_limited', 'unavailable', 'outcome_unknown'],
  async handle(request) {
    const body = request.body as Buffer;
    const signature = readSignature(deps.scanners, request.headers, body);
    await deps.leakReportLimit.take(signature === 'signed' ? 'signed' : 'unsigned', request.ip);
    if (signature === 'forged')
      throw new Refusal('signature_invalid', 'The key that the report names did not sign these bytes.');
    const report = parseJson(body, MAX_REPORT_KEYS);
    check(report);
    const signed = signature === 'signed';
    const entries = report as LeakReport;
    if (!signed && entries.length > MAX_UNSIGNED_LEAKS) {
      const detail = `A report that is not signed holds at most ${MAX_UNSIGNED_LEAKS} entries.`;
      throw invalidAt('', 'too_many', detail);
    }
    const { ip: address, requestId } = request;
    await reportLeakedKeys(deps, entries, { address, requestId, signed });
    return '[]';
  },
});
