export const lead = `Everyone has an opinion about {topic}, and most of the advice sounds the same: do more, do it faster, do it everywhere. In practice the businesses that get results do less. They choose a goal that they can explain in one sentence, they give it regular time, and they look honestly at what happened. This guide collects what works for small teams, in the order in which it pays to do it. You can read it in ten minutes and start with the first step today. Nothing in it needs a big budget, a specialist or a new tool; it needs a calm hour a week and the willingness to write things down.`

export const sections = [
  {
    title: 'why it matters now',
    text: `Customers compare faster than ever. Before they write to you they have read reviews, asked a friend and looked at two competitors. That makes {topic} less a matter of being loud and more a matter of being clear. A clear offer, a quick answer and a next step that feels safe will beat a larger budget more often than not. The second reason is cost: attention has become expensive, and every visitor who leaves without understanding you has been paid for. Improving what happens after the first contact is therefore the cheapest growth that you can buy. It also compounds, because people who were treated well come back and bring others with them.`,
  },
  {
    title: 'start with one goal that you can count',
    text: `Write down a single number that would tell you, in four weeks, that {topic} is going well. It may be replies, booked calls, repeat orders or hours saved. Avoid numbers that only rise, such as impressions or followers, because they make every week look like a success. A useful goal has a starting value, a target and a date, for example "from six booked calls a week to nine by the end of next month". Put it where the whole team sees it. When a new idea comes up, ask whether it moves that number; if it does not, it goes on a list for later. This small discipline saves more time than any software.`,
  },
  {
    title: 'know the person on the other side',
    text: `Choose five recent customers and read every message that they sent you before they bought. You will find the same three worries in different words. Those worries are the outline of everything that you should say about {topic}. Use their words rather than yours: people recognise themselves in a sentence faster than in a diagram. If you have no messages to read, call three customers and ask what almost stopped them. Do not sell during that call. What you learn in half an hour will outlast a season of guessing, and it will make each later step, from the first page to the follow-up, noticeably easier to write.`,
  },
  {
    title: 'build a simple routine',
    text: `Results come from rhythm. Reserve the same hour each week for {topic} and protect it as you would protect a meeting with your best customer. Spend the first ten minutes on the number, the next thirty on one improvement, and the last twenty on preparing the following week. Keep a short log of what you changed, because memory is generous and will credit the wrong cause. After a month you have four entries, and with them an answer that no consultant can give you: what works here, with these customers, at this price. Teams that skip the log tend to repeat the same experiment every spring.`,
  },
  {
    title: 'use automation where it removes waiting',
    text: `Automation is at its best where a person would otherwise wait: a confirmation right after a booking, a reminder the day before, a polite second message when the first one found no answer. Begin with these three. They touch everyone, they are easy to test and they are hard to get wrong. Leave judgement to people, at least at first: prices, complaints and anything that needs a feeling for tone. When you automate a part of {topic}, read the first twenty messages that go out as if you were the one to receive them. If one of them would annoy you, stop and rewrite it before it reaches anyone else.`,
  },
  {
    title: 'common mistakes and how to avoid them',
    text: `The first mistake is changing five things at once. You will see a difference and never know why. The second is stopping too early: most improvements to {topic} need two or three weeks before the numbers settle. The third is copying a large company. What suits a team of two hundred, with its processes and its patience, will slow down a team of four. The fourth is hiding the price. People who have to ask assume that it is too high. The last and most expensive mistake is to ignore existing customers while chasing new ones, although the existing ones answer faster, buy again sooner and forgive small errors.`,
  },
  {
    title: 'measure what happened, not what you hoped for',
    text: `Set aside a quarter of an hour every Friday and answer three questions in writing: what did we expect, what happened, what will we do differently. Compare with the week before and with the same week of the month before, since many businesses breathe in monthly cycles. If a number surprised you, look at the single cases behind it before you trust the average: one unusual customer can bend the whole line. For {topic} it is usually enough to watch the number of first contacts, the share that takes the next step, and the time it takes you to answer. Three figures, looked at regularly, beat a dashboard that nobody opens.`,
  },
  {
    title: 'a small example',
    text: `A studio with three employees wanted more regular work. Its goal was simple: eight qualified requests a month instead of five. In the first week it rewrote one page in the words of its customers. In the second it added a booking link and an automatic reminder. In the third it answered each request within an hour, using a short draft that only needed a personal sentence. Nothing else changed. After two months it stood at nine requests, and fewer of them went silent after the first call. The lesson is not the figure; it is that {topic} improved through three plain steps, each of which could be seen and undone.`,
  },
  {
    title: 'how to choose your tools',
    text: `Choose tools last. Write down the steps that you want to support, then look for the smallest number of programs that cover them. Each additional one brings a login, an invoice and a place where information can hide. Ask three questions before you commit: can we export our data at any time, does it work on a phone, and will someone answer when it breaks. A tool for {topic} should make the next action obvious; if you need a course to find the button, your team will go back to spreadsheets within a month. Test with real work for a week rather than with a demonstration, and let the most sceptical colleague decide.`,
  },
  {
    title: 'bring your team along',
    text: `People support what they helped to shape. Before you change how you handle {topic}, show the team the number, explain why it matters and ask for the one obstacle that everybody meets. Remove that obstacle first, even if it is small. It earns the trust that the larger changes will need. Share the Friday notes openly, including the experiments that failed, and name the person whose idea worked. Keep responsibilities plain: one name for each step, with a stand-in for holidays. A process that depends on a single hero is a risk; a process that three people can explain in two minutes is an asset.`,
  },
]

export const takeaway = {
  title: 'what to do this week',
  text: `Choose your number and write it down today. Tomorrow, read the messages of five customers and note the words that they use. On Wednesday change one sentence, one page or one reply, and nothing else. On Thursday set up a single automatic confirmation. On Friday spend fifteen minutes with the result. That is all. Repeat it for four weeks, and you will know more about {topic} in your own business than any general guide can tell you.`,
}

export const closings = [
  'Start small, keep a record, and let the numbers argue for you. The rest is patience.',
  'The best time to begin with {topic} was last quarter; the second best is the next free hour in your calendar.',
  'Simple steps, done every week, look like luck from the outside. Now you know better.',
]
