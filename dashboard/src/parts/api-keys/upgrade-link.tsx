import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useTexts } from '../../language/texts.tsx';
import { useSession } from '../../session/session.ts';
import { stepTexts } from './step-texts.ts';

/** The component is a link that looks like a button. The link leads to a URL of the operator, or to Settings, Plan. */
export function UpgradeLink(): ReactNode {
  const say = useTexts(stepTexts);
  const { upgrade_url } = useSession();
  if (upgrade_url)
    return (
      <Button component="a" href={upgrade_url} rel="noreferrer">
        {say('upgrade')}
      </Button>
    );
  return <Button renderRoot={(props) => <Link to="/settings/plan" {...props} />}>{say('upgrade')}</Button>;
}
