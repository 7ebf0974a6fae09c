import type { Role } from '../../../contract/permissions.ts';
import { type Actor, recordAudit } from '../../store/organizations/audit.ts';
import type { Queryable } from '../../store/db.ts';
import type { QueueMail } from '../../store/mail.ts';
import { insertInvitation, INVITATION_DAYS, renewInvitation } from '../../store/organizations/members.ts';
import { namesOf } from '../../store/accounts/people.ts';
import { invitationDigest, invitationUrl, newInvitationToken } from './invitation-link.ts';

export type InvitationDesk = { baseUrl: string; queueMail: QueueMail | null };

/** The link for whoever made the invitation; null when it was mailed, for then only the mailbox has it. */
export type IssuedInvitation = { id: string; url: string | null };

type Given = { orgId: string; organization: string; email: string; role: Role; inviterId: string };

/** A new invitation. Open ones of the same address with one of the `replaces` roles end. */
export async function issueInvitation(
  tx: Queryable,
  desk: InvitationDesk,
  given: Given & { replaces: readonly Role[] },
  actor: Actor,
): Promise<IssuedInvitation> {
  const { token, link } = newLink(desk);
  const id = await insertInvitation(tx, given.orgId, { ...given, ...link });
  return handOver(tx, desk, { ...given, id, token, action: 'invitation.created' }, actor);
}

/** A new link for an open invitation; the old one ends, and whoever renews answers for it from now on. */
export async function renewLink(
  tx: Queryable,
  desk: InvitationDesk,
  given: Given & { id: string },
  actor: Actor,
): Promise<IssuedInvitation> {
  const { token, link } = newLink(desk);
  await renewInvitation(tx, given.orgId, given.id, { inviterId: given.inviterId, ...link });
  return handOver(tx, desk, { ...given, token, action: 'invitation.renewed' }, actor);
}

function newLink({ queueMail }: InvitationDesk) {
  const token = newInvitationToken();
  return { token, link: { digest: invitationDigest(token), mailed: queueMail !== null, days: INVITATION_DAYS } };
}

async function handOver(
  tx: Queryable,
  { baseUrl, queueMail }: InvitationDesk,
  given: Given & { id: string; token: string; action: string },
  actor: Actor,
): Promise<IssuedInvitation> {
  const { id, orgId, email, role, inviterId } = given;
  await recordAudit(tx, { orgId, actor, action: given.action, subjectId: id, facts: { email, role } });
  const url = invitationUrl(baseUrl, given.token);
  if (!queueMail) return { id, url };
  const inviter = (await namesOf(tx, [inviterId])).get(inviterId) ?? 'Somebody';
  await queueMail(tx, {
    to: email,
    subject: 'You are invited to Parley',
    lines: [`${unlinked(inviter)} invites you to join “${unlinked(given.organization)}” on Parley as ${role}.`],
    link: { label: 'Open the invitation', url },
    after: [
      `The link works once, within ${INVITATION_DAYS} days.`,
      'You did not expect this? Ignore this e-mail: without the link nothing happens.',
    ],
  });
  return { id, url: null };
}

/** Anybody may name an organization: mail programs must not make a link of a name. */
const unlinked = (name: string): string => name.replaceAll(/(?<=\S)[.:/@\\]+(?=\S)/g, ' ');
