import { Anchor, Button, Stack, Text } from '@mantine/core';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useAct } from '../../api/queries.ts';
import { useTexts } from '../../language/texts.tsx';
import { ProblemAlert } from '../../parts/problem-alert.tsx';
import { FrontPage } from '../../shell/front-page.tsx';
import { texts } from './texts.ts';

const route = getRouteApi('/front/weekly-mail/$link');

/** Stopping needs a click, because mail scanners also open links. */
export function StopPage(): ReactNode {
  const say = useTexts(texts);
  const { link } = route.useParams();
  const stop = useAct('stopWeeklyMail', { refresh: [] });
  const toAccount = (
    <Anchor size="sm" renderRoot={(props) => <Link to="/settings/sessions" {...props} />}>
      {say('to_account')}
    </Anchor>
  );
  if (stop.isSuccess)
    return (
      <FrontPage title={say('stopped')}>
        <Stack>
          <Text role="status">{say('stopped_hint')}</Text>
          {toAccount}
        </Stack>
      </FrontPage>
    );
  return (
    <FrontPage title={say('stop_title')} description={say('stop_hint')}>
      <Stack>
        {stop.error && <ProblemAlert problem={stop.error} />}
        <Button loading={stop.isPending} onClick={() => stop.mutate({ params: { link } })}>
          {say('stop')}
        </Button>
        {toAccount}
      </Stack>
    </FrontPage>
  );
}
