import type { LeadForm } from './queries.ts'

const safe = (text: string) =>
  text.replace(/[&<>"]/g, (sign) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[sign] as string)

/** The form as plain HTML for any site: it needs no script, and looks as that site does. */
export function htmlOf({ action_url, questions, phone, company, consent_text, button }: LeadForm): string {
  const line = (label: string, name: string, type: string, required: boolean, more = '') =>
    `  <p><label>${safe(label)}<br><input type="${type}" name="${name}"${more}${required ? ' required' : ''}></label></p>`
  return [
    `<form method="post" action="${safe(action_url)}">`,
    line('Name', 'name', 'text', true, ' maxlength="120" autocomplete="name"'),
    line('Email', 'email', 'email', true, ' maxlength="254" autocomplete="email"'),
    ...(phone === 'off' ? [] : [line('Phone', 'phone', 'tel', phone === 'required', ' maxlength="30" autocomplete="tel"')]),
    ...(company === 'off'
      ? []
      : [line('Company', 'company', 'text', company === 'required', ' maxlength="120" autocomplete="organization"')]),
    ...questions.map(({ label, required }, n) => {
      const must = required ? ' required' : ''
      return `  <p><label>${safe(label)}<br><textarea name="answer-${n}" maxlength="2000"${must}></textarea></label></p>`
    }),
    ...(consent_text ? [`  <p><label><input type="checkbox" name="consent" value="yes"> ${safe(consent_text)}</label></p>`] : []),
    `  <p><button>${safe(button)}</button></p>`,
    '</form>',
  ].join('\n')
}
