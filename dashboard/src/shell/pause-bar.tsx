import { Alert } from '@mantine/core';
import { IconPlayerPause } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useTexts } from '../language/texts.tsx';
import { barTexts } from './bar-texts.ts';

/** After a restore, nothing is sent. Without a notice, a member would wait for answers that do not come. */
export function PauseBar(): ReactNode {
  const say = useTexts(barTexts);
  return (
    <Alert icon={<IconPlayerPause size={18} />} title={say('paused')} color="yellow" m="md" mb={0} role="status">
      {say.rich('paused_hint', { command: <code className="ltr">./parley resume</code> })}
    </Alert>
  );
}
