import { defineTexts } from '../../language/texts.tsx';

/** Texts about embeddings, the search of documents by meaning. */
export const embeddingTexts = defineTexts(
  {
    title: 'Search by meaning',
    off: 'Off. With an embedding model, agents find text with the same meaning in other words. Only agents with a model use the embedding model.',
    choose: 'Choose an embedding model',
    choose_question: 'Choose a question model',
    choose_admins: 'Owners and admins choose the model.',
    change: 'Change',
    made_by: 'The embeddings are made by {model} ({provider}).',
    dimensions: { one: '{count} dimension', other: '{count} dimensions' },
    progress: '{done} of {all} passages have embeddings',
    counting: { one: '{count} document is not counted yet.', other: '{count} documents are not counted yet.' },
    none: 'No passage yet.',
    goes_on: 'Parley retries automatically.',
    stopped: {
      one: '{count} document is left out until you retry.',
      other: '{count} documents are left out until you retry.',
    },
    retry: 'Try again now',
    retried: 'Parley tries again.',
    embedding_model: 'Embedding model',
    embedding_hint:
      'For the documents of all agents of this organization, for example “{example}”. Leave the field empty to turn embeddings off. Only one provider can make embeddings at a time.',
    transcription_model: 'Transcription model',
    transcription_hint:
      'The model transcribes voice messages, for example “{example}”, so that agents and members can read them. Leave the field empty to turn transcription off. Only one provider can transcribe at a time.',
    question_model: 'Question model',
    question_hint:
      'The model writes a few questions for each passage, for example “{example}”, so that agents without a model find the passage in other words. This costs money. Leave the field empty to write no more questions and to delete the existing ones. Only one provider can write questions at a time.',
    questions_title: 'Questions for passages',
    questions_off:
      'Off. A model can write questions for each passage, so that agents without a model find it in other words.',
    questions_by: 'The questions are written by {model} ({provider}).',
    questions_progress: '{done} of {all} passages have questions',
    embedding_none:
      'Anthropic has no models for embeddings or transcripts. For embeddings and transcripts, use OpenAI, Google or an OpenAI-compatible server.',
    checked: 'The embedding model answered: {dimensions}.',
    check_failed: 'Saved, but the embedding model did not answer',
    fault_provider_rate_limited: 'The provider limits our calls.',
    fault_provider_unreachable: 'The provider does not answer.',
    fault_provider_timeout: 'The provider takes too long to answer.',
    fault_provider_garbled: 'The provider’s answer cannot be used.',
    fault_provider_refused: 'The provider refuses the call. Check the key and the name of the model.',
    fault_budget_spent: 'A budget is used up, or has no price for this model.',
    fault_budget_busy: 'The rest of a budget is reserved for turns in progress.',
    fault_interrupted: 'It was interrupted.',
  },
  {
    title: 'البحث بالمعنى',
    off: 'متوقف. بنموذج تضمين يجد الوكلاء نصوصًا بالمعنى نفسه وبكلمات أخرى. يستخدمه الوكلاء ذوو النماذج فقط.',
    choose: 'اختيار نموذج تضمين',
    choose_question: 'اختيار نموذج أسئلة',
    choose_admins: 'يختار المالكون والمسؤولون النموذج.',
    change: 'تغيير',
    made_by: 'التضمينات من {model} ({provider}).',
    dimensions: {
      zero: 'بلا أبعاد',
      one: 'بُعد واحد',
      two: 'بُعدان',
      few: '{count} أبعاد',
      many: '{count} بُعدًا',
      other: '{count} بُعد',
    },
    progress: '{done} من {all} من المقاطع لها تضمينات',
    counting: {
      zero: 'عُدّت كل المستندات.',
      one: 'مستند واحد لم يُعدّ بعد.',
      two: 'مستندان لم يُعدّا بعد.',
      few: '{count} مستندات لم تُعدّ بعد.',
      many: '{count} مستندًا لم تُعدّ بعد.',
      other: '{count} مستند لم تُعدّ بعد.',
    },
    none: 'لا مقاطع بعد.',
    goes_on: 'يعيد Parley المحاولة تلقائيًا.',
    stopped: {
      zero: 'لا مستندات متروكة.',
      one: 'تُرك مستند واحد إلى أن تعيد المحاولة.',
      two: 'تُرك مستندان إلى أن تعيد المحاولة.',
      few: 'تُركت {count} مستندات إلى أن تعيد المحاولة.',
      many: 'تُرك {count} مستندًا إلى أن تعيد المحاولة.',
      other: 'تُرك {count} مستند إلى أن تعيد المحاولة.',
    },
    retry: 'المحاولة الآن',
    retried: 'تجري المحاولة من جديد.',
    embedding_model: 'نموذج التضمين',
    embedding_hint: 'لمستندات كل وكلاء هذه المؤسسة، مثلًا «{example}». اتركه فارغًا لإيقاف التضمينات. يصنعها مزوّد واحد فقط.',
    transcription_model: 'نموذج التفريغ الصوتي',
    transcription_hint:
      'يفرّغ الرسائل الصوتية نصًّا، مثل «{example}»، ليقرأها الوكلاء والأعضاء. اتركه فارغًا لإيقاف ذلك. يقوم به مزوّد واحد فقط.',
    question_model: 'نموذج الأسئلة',
    question_hint:
      'يكتب بضعة أسئلة لكل مقطع، مثل «{example}»، ليجده الوكلاء بلا نموذج بكلمات أخرى. لهذا تكلفة. اترك الحقل فارغًا لإيقاف كتابة الأسئلة وحذف الموجود منها. يقوم به مزوّد واحد فقط.',
    questions_title: 'أسئلة للمقاطع',
    questions_off: 'متوقف. يمكن لنموذج أن يكتب أسئلة لكل مقطع، ليجده الوكلاء بلا نموذج بكلمات أخرى.',
    questions_by: 'الأسئلة من {model} ({provider}).',
    questions_progress: '{done} من {all} من المقاطع لها أسئلة',
    embedding_none:
      'ليس لدى Anthropic نماذج للتضمين أو للتفريغ الصوتي. للتضمين والتفريغ الصوتي استعمل OpenAI أو Google أو خادمًا متوافقًا مع OpenAI.',
    checked: 'أجاب نموذج التضمين: {dimensions}.',
    check_failed: 'حُفظ، لكن نموذج التضمين لم يجب',
    fault_provider_rate_limited: 'يحدّ المزوّد من طلباتنا.',
    fault_provider_unreachable: 'المزوّد لا يجيب.',
    fault_provider_timeout: 'يستغرق المزوّد وقتًا أطول من اللازم.',
    fault_provider_garbled: 'لا يمكن استعمال إجابة المزوّد.',
    fault_provider_refused: 'يرفض المزوّد الطلب. تحقق من المفتاح ومن اسم النموذج.',
    fault_budget_spent: 'استُهلكت ميزانية، أو ليس لها سعر لهذا النموذج.',
    fault_budget_busy: 'بقية الميزانية محجوزة لردود جارية.',
    fault_interrupted: 'انقطع العمل.',
  },
);

const FAULTS = Object.keys(embeddingTexts.en).filter((name) => name.startsWith('fault_'));

/** Returns the key of the text for a fault code. A newer server may send codes that this page does not know. */
export const embeddingFault = (code: string): keyof typeof embeddingTexts.en | null =>
  FAULTS.includes(`fault_${code}`) ? (`fault_${code}` as keyof typeof embeddingTexts.en) : null;
