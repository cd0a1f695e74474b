"""Makes a small tokenizer in the folder that is named: AIPerf and GuideLLM want one, and none is to be downloaded."""
import sys

from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import PreTrainedTokenizerFast

words = ["Where is my order? It should have come days ago.", "Your order is on its way and comes soon, Ada."]
alphabet = pre_tokenizers.ByteLevel.alphabet()
tokenizer = Tokenizer(models.BPE(unk_token="<unk>"))
tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
tokenizer.decoder = decoders.ByteLevel()
special = ["<unk>", "<s>", "</s>"]
trainer = trainers.BpeTrainer(vocab_size=600, special_tokens=special, initial_alphabet=alphabet)
tokenizer.train_from_iterator(words, trainer)
fast = PreTrainedTokenizerFast(
    tokenizer_object=tokenizer, unk_token="<unk>", bos_token="<s>", eos_token="</s>", pad_token="</s>"
)
fast.chat_template = "{% for m in messages %}{{ m['content'] }}\n{% endfor %}"
fast.save_pretrained(sys.argv[1])
