import { createHmac, timingSafeEqual } from 'node:crypto';
import type { ChatSession, OpenChatSession } from '../../../contract/chat.ts';
import { Refusal } from '../../../contract/problems.ts';
import { newVisitorAddress, type Visitor } from '../../access/visitors/visitor-token.ts';
import { timestamp } from '../../kernel/clock.ts';
import type { ChatChannel } from './find-chat-channel.ts';
import type { VisitorsDeps } from './visitors.ts';

/**
 * A person opens the chat: a new visitor, a returning one (with a new token), or a person whom the host's backend
 * vouches for. Nothing is stored before the first message.
 */
export function createOpenSession({
  kinds,
  openSecrets,
  tokens,
}: Pick<VisitorsDeps, 'kinds' | 'openSecrets' | 'tokens'>) {
  return async function openSession(
    channel: ChatChannel,
    { external_id: externalId, user_hash: hash, name, locale }: OpenChatSession,
    from: { origin: string; known: Visitor | null },
  ): Promise<ChatSession> {
    const about = { channelId: channel.id, origin: from.origin, name: name ?? null, locale: locale ?? null };
    if (externalId === undefined) {
      // A person who has signed out at the host starts as a new visitor.
      const address = from.known?.externalId === null ? from.known.address : newVisitorAddress();
      return present({ ...about, address, externalId: null });
    }
    await checkProof(channel, externalId, hash);
    const person = { id: '', external_id: externalId, name: null, email: null, phone: null };
    return present({ ...about, address: kinds.get(channel.kind)!.addressOf!(person)!, externalId });
  };

  /** `user_hash` is HMAC-SHA-256 of the id under the channel's secret, which only the host's backend knows. */
  async function checkProof(channel: ChatChannel, externalId: string, hash: string | undefined): Promise<void> {
    const { secret } = await openSecrets(channel);
    if (secret !== undefined && hash !== undefined) {
      const proof = createHmac('sha256', secret).update(externalId).digest();
      if (timingSafeEqual(proof, Buffer.from(hash, 'hex'))) return;
    }
    throw new Refusal(
      'signature_invalid',
      "user_hash must be the HMAC-SHA-256 of external_id under the channel's secret, in hexadecimal.",
    );
  }

  function present(visitor: Visitor): ChatSession {
    const { token, expiresAt } = tokens.issue(visitor);
    return { token, expires_at: timestamp(expiresAt), identified: visitor.externalId !== null };
  }
}
