import type { Egress } from '../../kernel/egress.ts';
import { EgressError } from '../../kernel/egress.ts';
import { DocumentFault } from '../../engine/documents/document-fault.ts';
import type { ReadFiles } from '../../engine/documents/read-files.ts';
import { AGENT, headers } from './fetch-page.ts';

/**
 * Reads the rules in robots.txt of a host (RFC 9309). A host without the file allows everything. If the host fails, the
 * file is requested again later and not ignored.
 */
const MAX_BYTES = 256 * 1024;
const MAX_REDIRECTS = 3;
const MAX_DELAY_SECONDS = 10;

export type Robots = { allows(url: string): Promise<{ allowed: boolean; delaySeconds: number }> };

/** Null if the host does not answer. */
export async function readRobots(
  { egress, files }: { egress: Pick<Egress, 'request'>; files: Pick<ReadFiles, 'read'> },
  orgId: string,
  origin: string,
): Promise<Robots | null> {
  const robotsUrl = `${origin}/robots.txt`;
  let text = await fetchText(egress, robotsUrl, MAX_REDIRECTS);
  if (text === null) return null;
  return {
    allows: async (url) => {
      if (!text) return NO_RULES;
      try {
        const say = await files.read(orgId, { kind: 'robots', text, robotsUrl, url, agent: AGENT });
        return { allowed: say.allowed, delaySeconds: Math.min(say.delaySeconds, MAX_DELAY_SECONDS) };
      } catch (error) {
        if (!(error instanceof DocumentFault)) throw error;
        // A file that needs too much time or memory cannot be meant as rules, so it is ignored.
        text = '';
        return NO_RULES;
      }
    },
  };
}

const NO_RULES = { allowed: true, delaySeconds: 0 };

async function fetchText(egress: Pick<Egress, 'request'>, url: string, redirects: number): Promise<string | null> {
  try {
    const answer = await egress.request({ url, headers: headers(), maxBytes: MAX_BYTES });
    if (answer.status >= 500) return null;
    const isRedirect = answer.status >= 300 && answer.status < 400 && redirects > 0;
    const to = isRedirect ? URL.parse(answer.headers['location'] ?? '', url) : null;
    // A redirect without a location counts as an answer without rules.
    if (to !== null && to.href !== url) return await fetchText(egress, to.href, redirects - 1);
    return answer.status === 200 ? answer.body.toString('utf8') : '';
  } catch (error) {
    if (!(error instanceof EgressError)) throw error;
    // A file above the limit cannot be meant as rules, so it is ignored.
    return error.code === 'egress_too_large' ? '' : null;
  }
}
