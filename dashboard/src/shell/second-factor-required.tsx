import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useTexts } from '../language/texts.tsx';
import { PageHeader } from '../parts/page-header.tsx';
import { useOrganization, useSession } from '../session/session.ts';
import { gateTexts } from './gate-texts.ts';

/** Replaces every page of an organization that requires a second factor, until this session has one. */
export function SecondFactorRequired(): ReactNode {
  const say = useTexts(gateTexts);
  const { name } = useOrganization();
  const { only_organization } = useSession();
  return (
    <>
      <PageHeader
        title={say('held_back', { organization: name })}
        description={say(only_organization === null ? 'held_back_hint' : 'held_back_provider')}
      />
      {only_organization === null && (
        <Button component={Link} to="/settings/sessions">
          {say('held_back_act')}
        </Button>
      )}
    </>
  );
}
