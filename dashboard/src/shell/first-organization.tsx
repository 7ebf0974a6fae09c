import type { ReactNode } from 'react';
import { useWords } from '../language/words.tsx';
import { FrontPage } from './front-page.tsx';
import { NewOrganizationForm } from './new-organization-form.tsx';
import { gateWords } from './gate-words.ts';

/** The page for a user who belongs to no organization. */
export function FirstOrganization(): ReactNode {
  const say = useWords(gateWords);
  return (
    <FrontPage title={say('no_organization')} description={say('no_organization_hint')}>
      <NewOrganizationForm />
    </FrontPage>
  );
}
