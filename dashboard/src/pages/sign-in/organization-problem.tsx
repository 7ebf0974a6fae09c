import { Alert, Text } from '@mantine/core';
import { IconAlertCircle } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useTexts } from '../../language/texts.tsx';
import { texts } from './organization-texts.ts';

const KNOWN = [
  'sign_in_expired',
  'sign_in_refused',
  'sign_in_address_refused',
  'membership_ended',
  'organization_full',
] as const;

/**
 * Shows the reason why the return from the provider failed. The URL contains only a code, and the text is always
 * Parley's.
 */
export function OrganizationProblem({ code }: { code: string | undefined }): ReactNode {
  const say = useTexts(texts);
  if (code === undefined) return null;
  const word = KNOWN.find((known) => known === code) ?? 'other';
  return (
    <Alert color="red" icon={<IconAlertCircle size={18} />} title={say(word)} role="alert">
      <Text size="sm">{say(`${word}_hint`)}</Text>
    </Alert>
  );
}
