import type { ReactNode } from 'react';
import { useTexts } from '../language/texts.tsx';
import { FrontPage } from './front-page.tsx';
import { NewOrganizationForm } from './new-organization-form.tsx';
import { gateTexts } from './gate-texts.ts';

/** The page for a user who belongs to no organization. */
export function FirstOrganization(): ReactNode {
  const say = useTexts(gateTexts);
  return (
    <FrontPage title={say('no_organization')} description={say('no_organization_hint')}>
      <NewOrganizationForm />
    </FrontPage>
  );
}
