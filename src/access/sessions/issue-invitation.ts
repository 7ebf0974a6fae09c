import type { Role } from '../../../contract/permissions.ts';
import { type Actor, recordAudit } from '../../store/organizations/audit.ts';
import type { Queryable } from '../../store/db.ts';
import { type QueueMail, unlinked } from '../../store/mail.ts';
import { INVITATION_DAYS, insertInvitation, renewInvitation } from '../../store/members/invitations.ts';
import { namesOf } from '../../store/accounts/accounts.ts';
import { invitationDigest, invitationUrl, newInvitationToken } from './invitation-link.ts';

export type InvitationDeps = { baseUrl: string; queueMail: QueueMail | null };

/**
 * The link for the person who created the invitation. Null when the link was mailed, because only the mailbox may have
 * the link.
 */
export type IssuedInvitation = { id: string; url: string | null };

type Given = { orgId: string; organization: string; email: string; role: Role; inviterId: string };

/** Creates an invitation. Open invitations to the same address with one of the `replaces` roles end. */
export async function issueInvitation(
  tx: Queryable,
  deps: InvitationDeps,
  given: Given & { replaces: readonly Role[] },
  actor: Actor,
): Promise<IssuedInvitation> {
  const { token, link } = newLink(deps);
  const id = await insertInvitation(tx, given.orgId, { ...given, ...link });
  return handOver(tx, deps, { ...given, id, token, action: 'invitation.created' }, actor);
}

/**
 * Creates a new link for an open invitation. The old link ends, and the person who renews the invitation becomes the
 * inviter.
 */
export async function renewLink(
  tx: Queryable,
  deps: InvitationDeps,
  given: Given & { id: string },
  actor: Actor,
): Promise<IssuedInvitation> {
  const { token, link } = newLink(deps);
  await renewInvitation(tx, given.orgId, given.id, { inviterId: given.inviterId, ...link });
  return handOver(tx, deps, { ...given, token, action: 'invitation.renewed' }, actor);
}

function newLink({ queueMail }: InvitationDeps) {
  const token = newInvitationToken();
  return { token, link: { digest: invitationDigest(token), mailed: queueMail !== null, days: INVITATION_DAYS } };
}

async function handOver(
  tx: Queryable,
  { baseUrl, queueMail }: InvitationDeps,
  given: Given & { id: string; token: string; action: string },
  actor: Actor,
): Promise<IssuedInvitation> {
  const { id, orgId, email, role, inviterId } = given;
  await recordAudit(tx, { orgId, actor, action: given.action, subjectId: id, facts: { email, role } });
  const url = invitationUrl(baseUrl, given.token);
  if (!queueMail) return { id, url };
  const inviter = (await namesOf(tx, [inviterId])).get(inviterId) ?? 'A member';
  await queueMail(tx, {
    to: email,
    subject: 'You are invited to Parley',
    lines: [`${unlinked(inviter)} invites you to join “${unlinked(given.organization)}” on Parley as ${role}.`],
    link: { label: 'Open the invitation', url },
    after: [
      `The link works once, within ${INVITATION_DAYS} days.`,
      'If you did not expect this invitation, ignore this e-mail. Nothing happens if you do not open the link.',
    ],
  });
  return { id, url: null };
}
