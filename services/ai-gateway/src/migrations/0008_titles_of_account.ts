/** The words of a title beside whose it is: one index answers for one account alone. */
export const indexes = {
  ai_conversations_titles: "on ai_conversations using gin ((array_to_tsvector(array[user_id::text]) || to_tsvector('simple', title)))",
}

export const dropped = ['ai_conversations_words']
