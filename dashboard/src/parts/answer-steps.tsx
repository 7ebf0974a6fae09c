import type { ReactNode } from 'react';
import type { TraceStep } from '../../../contract/dashboard/agents.ts';
import { defineTexts, useTexts } from '../language/texts.tsx';
import { stepDetail } from './step-details.ts';
import classes from './answer-steps.module.css';

const texts = defineTexts(
  {
    why: 'Why this answer?',
    by: 'Answered by {provider}',
    sent: 'What was sent',
    output: 'What came back',
    error: 'What went wrong',
    reason: 'Reason of the team',
    engine: 'the built-in engine',
    your_code: 'your code',
    reminders: 'the reminders of the agent',
    campaign: 'the campaign',
    step_opening: 'Opening message',
    step_language: 'Language',
    step_knowledge: 'Searched the documents',
    step_miss: 'No document answers this',
    step_search: 'Searched the documents',
    step_search_failed: 'The search in the documents failed',
    step_passages: 'Passages from the documents',
    step_embedding: 'Search by meaning',
    step_embedding_failed: 'The search by meaning failed',
    step_rule: 'A rule applied',
    step_rule_left_out: 'A rule was skipped',
    step_patterns_stopped: 'The check of the rules was stopped',
    step_model: 'The model answered',
    step_model_retry: 'The model was called again',
    step_warning: 'Warning',
    step_hand_off: 'Handed over to your team',
    step_tool: 'A tool was called',
    step_tool_asked: 'A tool waits for approval',
    step_tool_declined: 'A tool call was refused',
    step_tool_changed: 'A tool has changed since it was approved',
    step_tool_failed: 'A tool failed',
    step_fallback: 'A model failed first',
    step_result_faults: 'Values of the result were not valid',
    step_result_failed: 'The result could not be filled',
    step_summary: 'The steps are complete',
    step_ask_back: 'Asked which section is meant',
    step_chosen: 'A section was chosen',
    step_opt_out: 'The person opted out',
    step_steps: 'The guided steps began',
    step_slot: 'A step was answered',
    step_slot_refused: 'An answer to a step was not understood',
    step_small_talk: 'Small talk',
    step_declined: 'No section was chosen',
    step_images: 'Images were sent to the model',
    step_images_refused: 'The model refused the images',
    step_tool_waits: 'A tool call waits for the team',
    step_reminder: 'Reminder',
    step_code: 'Your code answered',
  },
  {
    why: 'لماذا هذا الرد؟',
    by: 'أجاب {provider}',
    sent: 'ما أُرسل',
    output: 'ما عاد',
    error: 'ما فشل',
    engine: 'المحرك المدمج',
    your_code: 'برنامجك',
    reminders: 'تذكيرات الوكيل',
    campaign: 'الحملة',
    step_opening: 'الرسالة الافتتاحية',
    step_language: 'اللغة',
    step_knowledge: 'بحث في المستندات',
    step_miss: 'لا مستند يجيب عن هذا',
    step_search: 'بحث في المستندات',
    step_search_failed: 'فشل البحث في المستندات',
    step_passages: 'مقاطع من المستندات',
    step_embedding: 'بحث بالمعنى',
    step_embedding_failed: 'فشل البحث بالمعنى',
    step_rule: 'طُبّقت قاعدة',
    step_rule_left_out: 'تُخطّيت قاعدة',
    step_patterns_stopped: 'أُوقف فحص القواعد',
    step_model: 'أجاب النموذج',
    step_model_retry: 'نودي النموذج مرة أخرى',
    step_warning: 'تنبيه',
    step_hand_off: 'سُلّمت إلى فريقك',
    step_tool: 'نوديت أداة',
    step_tool_asked: 'أداة تنتظر الموافقة',
    step_tool_declined: 'رُفض نداء أداة',
    step_tool_changed: 'تغيّرت أداة منذ الموافقة عليها',
    step_tool_failed: 'فشلت أداة',
    step_fallback: 'فشل نموذج آخر أولًا',
    step_result_faults: 'قيم في النتيجة غير صالحة',
    step_result_failed: 'تعذّر ملء النتيجة',
    step_summary: 'اكتملت الخطوات',
    step_ask_back: 'سأل أي قسم هو المقصود',
    step_chosen: 'اختير قسم',
    step_opt_out: 'رفض الشخص الرسائل',
    step_steps: 'بدأت الخطوات الموجّهة',
    step_slot: 'أُجيبت خطوة',
    step_slot_refused: 'لم تُفهم إجابة خطوة',
    step_small_talk: 'حديث عابر',
    step_declined: 'لم يُختر قسم',
    step_images: 'أُرسلت صور إلى النموذج',
    step_images_refused: 'رفض النموذج الصور',
    step_tool_waits: 'نداء أداة ينتظر الفريق',
    step_reminder: 'تذكير',
    step_code: 'أجابت شيفرتك',
    reason: 'سبب الفريق',
  },
);

type StepWord = keyof (typeof texts)['en'] & `step_${string}`;
type Props = { provider: string; steps: readonly TraceStep[]; className?: string };

/** Shows the steps by which an agent came to an answer. */
export function AnswerSteps({ provider, steps, className = '' }: Props): ReactNode {
  const say = useTexts(texts);
  return (
    <details className={`${classes.why} ${className}`}>
      <summary>{say('why')}</summary>
      <Steps provider={provider} steps={steps} />
    </details>
  );
}

/** Shows the steps, which the parent opens and closes. */
export function ShownSteps({ provider, steps, className = '' }: Props): ReactNode {
  const say = useTexts(texts);
  return (
    <div role="group" aria-label={say('why')} className={`${classes.why} ${className}`}>
      <Steps provider={provider} steps={steps} />
    </div>
  );
}

function Steps({ provider, steps }: Props): ReactNode {
  const say = useTexts(texts);
  // A later version may send other kinds of steps.
  const nameOf = (kind: string): string => (`step_${kind}` in texts.en ? say(`step_${kind}` as StepWord) : kind);
  return (
    <>
      <p>{say.rich('by', { provider: isKnown(provider) ? say(PROVIDERS[provider]) : <code>{provider}</code> })}</p>
      <ol>
        {steps.map((step, index) => (
          <li key={index}>
            <b>{nameOf(step.kind)}</b>
            <Detail text={stepDetail(step, say.language)} />
            {(['reason', 'sent', 'output', 'error'] as const).map(
              (name) => step[name] && !isCode(step, name) && <Said key={name} label={say(name)} text={step[name]} />,
            )}
          </li>
        ))}
      </ol>
    </>
  );
}

/** The reason of a hand-off is a code. The detail of the step has the same reason in words. */
const isCode = ({ kind }: TraceStep, name: string): boolean => kind === 'hand_off' && name === 'reason';

const Detail = ({ text }: { text: string }): ReactNode =>
  text !== '' && (
    <>
      : <span dir="auto">{text}</span>
    </>
  );

/** The names of engines other than models. All other names are names of model providers. */
const PROVIDERS = {
  embedded: 'engine',
  http: 'your_code',
  no_reply: 'reminders',
  campaign: 'campaign',
} as const;
const isKnown = (provider: string): provider is keyof typeof PROVIDERS => Object.hasOwn(PROVIDERS, provider);

/** Shows text from others as text. */
const Said = ({ label, text }: { label: string; text: string }): ReactNode => (
  <div>
    {label}
    <pre dir="auto" tabIndex={0} aria-label={label}>
      {text}
    </pre>
  </div>
);
