import type { InboundRequest, OutboundMessage, SendTools } from '../src/channels/channel.ts';
import { createEgress, type Egress } from '../src/kernel/egress.ts';

/**
 * Creates the tools that a kind of channel needs for sending, for tests of this kind without the program. The calls of
 * these tools time out after `timeoutMs`.
 */
export function channelTools(timeoutMs = 5_000): SendTools & { egress: Pick<Egress, 'check'>; close(): Promise<void> } {
  const egress = createEgress({ allow: ['127.0.0.1'] });
  return {
    egress: {
      request: (request) => egress.request({ ...request, timeoutMs }),
      connect: egress.connect,
      check: egress.check,
    },
    signal: new AbortController().signal,
    now: Date.now,
    inboundUrl: 'https://parley.example/inbound/kind/channel_1',
    close: () => egress.close(),
  };
}

export const outbound = (
  content: OutboundMessage['content'],
  more: Partial<OutboundMessage> = {},
): OutboundMessage => ({
  id: 'msg_01k8v3m9e5f7rsm6z4n0q2x1ab',
  conversationId: 'conv_01k8v3m9e5f7rsm6z4n0q2x1ae',
  address: null,
  role: 'agent',
  content,
  metadata: {},
  replyTo: null,
  answers: null,
  person: { id: 'enduser_1', external_id: null, name: null, email: null, phone: null },
  createdAt: new Date(),
  ...more,
});

export const inboundRequest = (more: {
  method?: 'GET' | 'POST';
  url?: string;
  query?: string;
  headers?: Record<string, string>;
  body?: string;
}): InboundRequest => ({
  method: more.method ?? 'POST',
  url: more.url ?? 'https://parley.example/inbound/kind/channel_1',
  query: new URLSearchParams(more.query ?? ''),
  headers: more.headers ?? {},
  body: Buffer.from(more.body ?? ''),
});
