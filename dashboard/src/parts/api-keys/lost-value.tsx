import { Alert, Button, Group, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useRead } from '../../api/queries.ts';
import { useTexts } from '../../language/texts.tsx';
import { useOrganization } from '../../session/session.ts';
import { stepTexts } from './step-texts.ts';

/**
 * The notice is shown if the page was reloaded while a new key was visible. The notice explains the loss and the next
 * steps.
 */
export function LostValue({ keyId, onDismiss }: { keyId: string; onDismiss: () => void }): ReactNode {
  const say = useTexts(stepTexts);
  const org_id = useOrganization().id;
  const key = useRead('readKey', { params: { org_id, key_id: keyId } }, {});
  if (!key.data || key.data.state !== 'active') return null;
  return (
    <Alert
      color="orange"
      icon={<IconAlertTriangle size={18} />}
      title={say('lost_title', { label: key.data.label })}
      mb="lg"
    >
      <Text size="sm" mb="sm">
        {say('lost_words')}
      </Text>
      <Group gap="xs">
        <Button
          size="xs"
          variant="default"
          renderRoot={(props) => (
            <Link to="/settings/integrations/api-keys/$key_id" params={{ key_id: keyId }} {...props} />
          )}
        >
          {say('to_key')}
        </Button>
        <Button size="xs" variant="subtle" color="gray" onClick={onDismiss}>
          {say('dismiss')}
        </Button>
      </Group>
    </Alert>
  );
}
