import { expect, it } from 'vitest';
import { asksForPerson } from './asks-for-person.ts';

it.each([
  'Plain request. agent please',
  'It does not work! Human please.',
  'This is the third time. Agent.',
  'I waited two weeks. I want to talk to a human. My order number is 4821.',
  'My number is 5550100. Call me. Thank you!',
  'The price is 2.5 more than before. Please, a real person',
  'Order 4821 is broken\nagent',
  'That is not what I asked, agent please',
  'Not helpful – human please',
  'Hello? Agent?',
  'I want to talk\nto a human',
  `${'The parcel came late and the box was open. '.repeat(4)}Can I speak to someone?`,
  'الطلب لم يصل. موظف لو سمحت',
  'هذا لا يفيد، موظف من فضلك',
  'أين طلبي؟ أريد التحدث مع موظف.',
  'यह काम नहीं कर रहा। एजेंट प्लीज',
  'मेरा ऑर्डर नहीं आया। मुझे इंसान से बात करनी है।',
  'ऑर्डर टूटा है, प्रतिनिधि कृपया',
])('asks for a person: %s', (text) => expect(asksForPerson(text)).toBe(true));

it.each([
  '',
  '. . !',
  'my agent said please wait',
  'My agent said: please wait.',
  'I met the agent. Please wait for my documents.',
  'Who signs it, the seller, the agent, or the buyer?',
  'Is this a bot? Person?',
  'The agent was friendly. How do I pay?',
  'I need help. My agent did not send the contract.',
  'How many people fit? The person pays at the desk.',
  'Mail us at help@shop.agent. Which plan is right?',
  'Agent. Buyer. Seller. What do these words mean?',
  'وكيلي قال لي انتظر من فضلك',
  'الموظف كان لطيفا. متى تفتحون؟',
  'मेरे एजेंट ने कहा कृपया रुकिए',
  'एजेंट अच्छा था। दुकान कब खुलती है?',
])('does not ask for a person: %s', (text) => expect(asksForPerson(text)).toBe(false));
