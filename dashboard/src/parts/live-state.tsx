import type { ReactNode } from 'react';
import { useLiveState } from '../api/live.ts';
import { defineTexts, useTexts } from '../language/texts.tsx';
import { Tip } from './tip.tsx';
import classes from './live-state.module.css';

const texts = defineTexts(
  {
    live: 'Live',
    live_hint: 'Changes appear here at once.',
    reconnecting: 'Reconnecting…',
    reconnecting_hint: 'The live connection broke. Until it is back, this is read again every {seconds} seconds.',
    polling: 'Every {seconds} seconds',
    polling_hint: 'There is no live connection: this is read again every {seconds} seconds.',
    lost: 'Not live: trying again…',
    lost_hint: 'The last attempt to read this failed. What is shown may be old.',
  },
  {
    live: 'مباشر',
    live_hint: 'تظهر التغييرات هنا فورًا.',
    reconnecting: 'جارٍ إعادة الاتصال…',
    reconnecting_hint: 'انقطع الاتصال المباشر. إلى أن يعود، يُقرأ هذا من جديد كل {seconds} ثوانٍ.',
    polling: 'كل {seconds} ثوانٍ',
    polling_hint: 'لا يوجد اتصال مباشر: يُقرأ هذا من جديد كل {seconds} ثوانٍ.',
    lost: 'غير مباشر: جارٍ المحاولة من جديد…',
    lost_hint: 'فشلت آخر محاولة للقراءة. قد يكون المعروض قديمًا.',
  },
);

type Props = {
  /** True: the last read failed. */
  failed: boolean;
  /** The interval of reads without a live connection. */
  every: number;
};

/** Shows whether the page is up to date: the state of the connection as text. */
export function LiveState({ failed, every }: Props): ReactNode {
  const say = useTexts(texts);
  const live = useLiveState();
  const state = failed ? 'lost' : live;
  if (state === 'opening') return null;
  const seconds = every / 1_000;
  return (
    <Tip label={say(`${state}_hint`, { seconds })}>
      {(anchor) => (
        <span {...anchor} className={classes.live} data-state={state} role="status" tabIndex={0}>
          {say(state, { seconds })}
        </span>
      )}
    </Tip>
  );
}
