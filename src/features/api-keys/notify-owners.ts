import type { Leak } from '../../../contract/leak-report.ts';
import type { ApiKeyRow } from '../../store/api-keys/read.ts';
import type { Queryable } from '../../store/db.ts';
import { unlinked } from '../../store/mail.ts';
import { readOwnerAddresses } from '../../store/members/members.ts';
import type { ApiKeysDeps } from './deps.ts';

/** Mails all owners that one of their keys was revoked because it leaked, in the transaction of the revoke. */
export async function notifyOwnersOfLeak(
  { queueMail, baseUrl }: Pick<ApiKeysDeps, 'queueMail' | 'baseUrl'>,
  tx: Queryable,
  key: ApiKeyRow,
  leak: Leak,
): Promise<void> {
  if (queueMail === null) return;
  const { organization, addresses } = await readOwnerAddresses(tx, key.orgId);
  const label = unlinked(key.label);
  for (const to of addresses)
    await queueMail(tx, {
      to,
      subject: `The API key “${label}” has leaked and is revoked`,
      lines: [
        `The key “${label}” (${key.prefix}…) of ${unlinked(organization)} was reported as leaked. The key is revoked: no server accepts it any more.`,
        placeInWords(leak),
        'Systems that use the key now get 401. Create a new key for these systems, and check Activity for calls that are not yours.',
      ],
      link: { label: 'Show the key', url: `${baseUrl}/settings/integrations/api-keys/${key.id}` },
    });
}

/** Any holder of the key can write a URL into an unsigned report, so the mail does not contain such a URL. */
const placeInWords = ({ url, signed }: Leak): string =>
  signed && url !== null
    ? `The key was found at ${url}`
    : 'The report is not signed by a scanner. The page of the key shows the report.';
