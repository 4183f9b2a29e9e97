import { get } from './api.js';
import { t } from './words.js';

/** Whether this visitor is signed in, could sign in, and is the operator, who alone may have known figures fetched again. */
export const visitor = (signal) => get('session', signal);

/** Shows a button where the visitor is the operator, or can become it by signing in. */
export async function offer(button, signal) {
  try {
    const { isOperator, canSignIn } = await visitor(signal);
    button.hidden = !isOperator && !canSignIn;
  } catch { /* Without the board there is nothing to ask. */ }
}

/** Whether the visitor is the operator; says what the password is for and asks for it if the visitor can sign in. */
export async function becomesOperator(why, signal) {
  const { isOperator, canSignIn } = await visitor(signal);
  if (isOperator || !canSignIn) return isOperator;
  const { askForPassword } = await import('../parts/writer.js');
  return askForPassword({ title: t('operator.signIn'), why, done: t('operator.signedIn') });
}
