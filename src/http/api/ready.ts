import { Type } from 'typebox';
import { Refusal } from '../../../contract/problems.ts';
import type { Route } from '../route/route.ts';

/** A node whose check takes longer should get no traffic. */
const READY_WITHIN_MS = 2_000;

type Deps = { readonly ready: () => Promise<{ ok: boolean; detail: string }>; readonly isDraining: () => boolean };

/** Tells load balancers and orchestrators whether this node may receive requests. */
export const ready = (deps: Deps): Route => ({
  method: 'GET',
  path: '/ready',
  access: 'public',
  operation: {
    id: 'getReady',
    summary: 'Whether this node accepts traffic',
    description:
      'The check succeeds if the database is reachable and migrated. The check fails as soon as the node starts to stop.',
    tag: 'System',
    examples: { 200: { status: 'ready' } },
  },
  responses: { 200: Type.Object({ status: Type.Literal('ready') }, { title: 'Ready' }) },
  problems: ['unavailable'],
  async handle() {
    if (deps.isDraining()) throw new Refusal('unavailable', 'This node is stopping.');
    const answer = await within(deps.ready());
    if (!answer.ok) throw new Refusal('unavailable', answer.detail);
    return { status: 'ready' };
  },
});

async function within(check: Promise<{ ok: boolean; detail: string }>): Promise<{ ok: boolean; detail: string }> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<{ ok: boolean; detail: string }>((resolve) => {
    timer = setTimeout(() => resolve({ ok: false, detail: 'The readiness check timed out.' }), READY_WITHIN_MS);
  });
  const failed = { ok: false, detail: 'The readiness check failed.' };
  try {
    return await Promise.race([check.catch(() => failed), late]);
  } finally {
    clearTimeout(timer);
  }
}
