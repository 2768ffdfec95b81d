import { expect, test } from 'vitest'
import { claimsDeed } from './claims.ts'

test.each([
  ['Send it to Anna', 'I sent the email to Anna.'],
  ['Send it to Anna', 'Done! I’ve just sent it.'],
  ['Send it to all of them', "Sure. I've already emailed all 42 customers."],
  ['yes, go ahead', 'Your email has been sent to all of your customers.'],
  ['yes, go ahead', 'Done! Your campaign is now live.'],
  ['Book Tuesday at ten', 'All done: the appointment is now booked for Tuesday.'],
  ['Book Tuesday at ten', 'Tuesday works well for most people.\n\nA reminder helps.\n\nI have scheduled the meeting for Tuesday at 10.'],
  ['Refund the last one', 'I have gone ahead and refunded $49.00.'],
  ['Put her in', 'I added Anna to your CRM.'],
  ['Cancel my plan', "I've cancelled your subscription."],
  ['Delete it', 'Successfully deleted the three oldest contacts.'],
  ['Draft a note to Anna and send it', 'I sent the note.\n\nDear Anna,\n\nThank you.'],
  ['Send the invoice', 'Email sent.'],
  ['Post it', '**Done!** We’ve posted it to your feed.'],
])('“%s” — “%s” claims a deed', (asked, answer) => {
  expect(claimsDeed(answer, asked)).toBe(true)
})

test.each([
  ['Send it to Anna', 'I cannot send emails yet. Here is a text you can copy.'],
  ['Send it to Anna', 'Shall I have it sent once you agree?'],
  ['Send it to Anna', 'Once I have sent it, you will see it here.'],
  ['Send it to Anna', 'It has not been sent.'],
  ['Remind Anna to pay', 'Is the invoice I sent you last week the right one?'],
  ['How do I follow up?', 'If the invoice has been sent, wait three days.'],
  ['How do I follow up?', 'Say: “I sent you the invoice on Monday.” Then wait.'],
  ['Write an email that says the parcel left', 'I sent your parcel today. It arrives on Friday.'],
  [
    'An email to Anna about the parcel',
    'Here is a draft.\n\nSubject: Your parcel\n\nHi Anna,\n\nI have sent your parcel today.\n\nBest, Ada',
  ],
  ['Tell me how Gutenberg began', 'He borrowed money. A press came first. In 1455 he published a Bible. His partner sued him.'],
  ['Give me three names', 'I created three names for you: Loaf, Crumb and Rise.'],
  ['What did I pay?', 'You paid $99.00 in November. The last payment was sent to your bank on Monday.'],
  ['Improve this text', 'I updated the text: it is shorter and says the price first.'],
  ['Remember that I sell bread', 'I will keep that in mind.'],
  ['Why are emails late?', 'Mail servers hold a message until it has been checked.'],
])('“%s” — “%s” claims none', (asked, answer) => {
  expect(claimsDeed(answer, asked)).toBe(false)
})
