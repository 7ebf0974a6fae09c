import { Button, Text } from '@mantine/core';
import { IconPencil, IconPlayerPause, IconPlayerPlay, IconSquare } from '@tabler/icons-react';
import { useState, type ReactNode } from 'react';
import type { CampaignMove, CampaignRecord } from '../../../../contract/dashboard/campaigns.ts';
import { useAct } from '../../api/queries.ts';
import { number } from '../../language/format.ts';
import { useTexts } from '../../language/texts.tsx';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { notifyDone } from '../../parts/notify.tsx';
import { useOrganization } from '../../session/session.ts';
import { RenameDialog } from './rename-dialog.tsx';
import { Review } from './review/review.tsx';
import { READ_AGAIN } from './search.ts';
import { texts } from './texts.ts';
import classes from './campaigns.module.css';

/** The actions that each state allows (see contract/dashboard/campaigns.ts). */
const MOVES: Record<CampaignRecord['state'], readonly CampaignMove[]> = {
  draft: ['start', 'end'],
  live: ['pause', 'end'],
  paused: ['resume', 'end'],
  ended: [],
};
const DONE = { start: 'started', pause: 'paused', resume: 'resumed', end: 'ended' } as const;

/** `secondary`: the open tab has the next step. */
type Props = { item: CampaignRecord; secondary: boolean };

/** Each action asks for confirmation and explains its effect on people. */
export function CampaignMoves({ item, secondary }: Props): ReactNode {
  const say = useTexts(texts);
  const org_id = useOrganization().id;
  const params = { org_id, campaign_id: item.id };
  const moves = {
    start: useAct('startCampaign', { refresh: READ_AGAIN }),
    pause: useAct('pauseCampaign', { refresh: READ_AGAIN }),
    resume: useAct('resumeCampaign', { refresh: READ_AGAIN }),
    end: useAct('endCampaign', { refresh: READ_AGAIN }),
  };
  // While the dialog closes, its text stays the same, although the state has already changed.
  const [asked, setAsked] = useState<{ move: CampaignMove; effects: string[] } | null>(null);
  const [opened, setOpened] = useState(false);
  const [renaming, setRenaming] = useState(false);
  const effectsOf = useEffects(item);
  const ask = (move: CampaignMove): void => {
    setAsked({ move, effects: effectsOf(move) });
    setOpened(true);
  };
  const possible = MOVES[item.state];
  const forward = possible.find((name) => name !== 'end');
  const move = asked?.move ?? 'start';
  const sends = move === 'start' || move === 'resume';
  return (
    <>
      <Button variant="default" leftSection={<IconPencil size={16} />} onClick={() => setRenaming(true)}>
        {say('rename')}
      </Button>
      {possible.includes('end') && (
        <Button variant="default" leftSection={<IconSquare size={15} />} onClick={() => ask('end')}>
          {say('end')}
        </Button>
      )}
      {forward && (
        <Button
          variant={forward === 'pause' || secondary ? 'default' : 'filled'}
          leftSection={forward === 'pause' ? <IconPlayerPause size={16} /> : <IconPlayerPlay size={16} />}
          onClick={() => ask(forward)}
        >
          {say(forward)}
        </Button>
      )}
      <ConfirmDialog
        opened={opened}
        onClose={() => setOpened(false)}
        title={say(`${move}_title`, { name: `\u2068${item.name}\u2069` })}
        act={say(move)}
        danger={move === 'end'}
        size={sends ? 'lg' : undefined}
        busy={moves[move].isPending}
        problem={moves[move].error}
        onAct={() =>
          moves[move].mutate(
            { params },
            {
              onSuccess: () => {
                setOpened(false);
                notifyDone(say(DONE[move]));
              },
            },
          )
        }
      >
        <ul className={classes.effects}>
          {asked?.effects.map((effect) => (
            <Text key={effect} size="sm" component="li">
              {effect}
            </Text>
          ))}
        </ul>
        {opened && sends && <Review item={item} onLeave={() => setOpened(false)} />}
      </ConfirmDialog>
      <RenameDialog item={item} opened={renaming} onClose={() => setRenaming(false)} />
    </>
  );
}

/** Describes the effect of a move on waiting recipients, on messaged recipients, and on calls that add recipients. */
function useEffects({ counts, settings }: CampaignRecord): (move: CampaignMove) => string[] {
  const say = useTexts(texts);
  const waiting = (counts?.pending ?? 0) + (counts?.waiting_window ?? 0);
  const many = { count: waiting, number: number(say.language, waiting) };
  const ofWaiting = (key: `${CampaignMove}_waiting`): string[] => (waiting > 0 ? [say(key, many)] : []);
  return (move) => {
    if (move === 'start') {
      const bounds = [
        settings.starts_at && Date.parse(settings.starts_at) > Date.now() ? say('start_later') : say('start_at_once'),
        ...(settings.window || settings.quiet_hours ? [say('start_hours')] : []),
        ...(settings.per_minute ? [say('start_pace', { count: settings.per_minute })] : []),
      ];
      return [...ofWaiting('start_waiting'), say('start_takes'), ...bounds];
    }
    if (move === 'pause') return [...ofWaiting('pause_waiting'), say('pause_begun'), say('pause_push')];
    if (move === 'resume') return [...ofWaiting('resume_waiting'), say('resume_push')];
    return [...ofWaiting('end_waiting'), say('end_begun'), say('end_push'), say('end_words')];
  };
}
