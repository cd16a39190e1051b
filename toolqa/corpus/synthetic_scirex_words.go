package corpus

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"

	"toolevo/envs/pytext"
)

// scirexTask is a task with the materials that papers use for it, and the metrics.
type scirexTask struct {
	name      string
	materials string // separated by |
	metrics   string // separated by |, each NAME;FORM;LOW;HIGH: see scirexMetric
}

// scirexTasks are tasks as papers write them. More materials are coined when these have been used enough.
var scirexTasks = []scirexTask{
	{"Natural Language Inference", "SNLI|MultiNLI|Quora Question Pairs|SciTail", "% Test Accuracy;1;76;92|% Train " +
		"Accuracy;1;80;98|Parameters;size;0.2;40"},
	{"Image Classification", "CIFAR-10|CIFAR-100|ImageNet|STL-10|SVHN|MNIST",
		"Percentage correct;1;60;97|Percentage error;2;2;40|Top 1 Accuracy;1%;65;84"},
	{"Atari Games", "Atari 2600 Montezuma's Revenge|Atari 2600 Ms. Pacman|Atari 2600 Q*Bert|Atari 2600 Kung-Fu " +
		"Master|Atari 2600 Alien|Atari 2600 Star Gunner|" +
		"Atari 2600 Road Runner|Atari 2600 Pong|Atari 2600 Venture|Atari 2600 Time Pilot|Atari 2600 HERO|Atari " +
		"2600 Video Pinball", "Score;points;20;60000"},
	{"Language Modelling", "Penn Treebank (Word Level)|WikiText-2|Text8|Hutter Prize",
		"Test perplexity;2;40;90|Validation perplexity;2;42;94|Number of params;M;12;70"},
	{"Question Answering", "SQuAD1.1|WikiQA|TrecQA|CNN / Daily Mail|Children's Book Test|TriviaQA",
		"F1;1;55;91|EM;1;45;85|MAP;3;0.5;0.8"},
	{"Machine Translation", "WMT2014 English-German|WMT2014 English-French|IWSLT2015 German-English|WMT2016 " +
		"English-Romanian", "BLEU score;2;18;42"},
	{"Semantic Segmentation", "Cityscapes|PASCAL VOC 2012|ADE20K|CamVid|PASCAL Context",
		"Mean IoU;1%;45;86|Pixel Accuracy;2;70;96"},
	{"Real-Time Semantic Segmentation", "Cityscapes|CamVid", "Frame (fps);1;1;120|Time (ms);0;8;900|mIoU;1%;50;80"},
	{"Object Detection", "COCO|PASCAL VOC 2007|PASCAL VOC 2012", "MAP;1%;55;85|Bounding Box AP;1;28;50"},
	{"Sentiment Analysis", "SST-2 Binary classification|Yelp Fine-grained classification|Yelp Binary " +
		"classification|IMDb|Multi-Domain Sentiment Dataset", "Accuracy;2;70;97|Error;2;2;40"},
	{"Named Entity Recognition (NER)", "CoNLL 2003 (English)|OntoNotes v5 (English)|JNLPBA|NCBI-disease", "F1;2;72;94"},
	{"Face Verification", "Labeled Faces in the Wild|YouTube Faces DB|IJB-A|MegaFace",
		"Accuracy;2%;88;99.8|TAR @ FAR=0.01;1%;70;98"},
	{"Image Super-Resolution", "Set5 - 4x upscaling|Set14 - 4x upscaling|BSD100 - 4x upscaling|Urban100 - 4x " +
		"upscaling|Manga109 - 4x upscaling", "PSNR;2;22;33|SSIM;4;0.6;0.93"},
	{"Speech Recognition", "LibriSpeech test-clean|LibriSpeech test-other|TIMIT|Switchboard + Hub500|WSJ eval92",
		"Percentage error;1;2;28"},
	{"Node Classification", "Cora|Citeseer|Pubmed|BlogCatalog|NELL", "Accuracy;1%;48;92|Macro-F1;1;18;60"},
	{"Few-Shot Image Classification", "OMNIGLOT - 1-Shot Learning|OMNIGLOT - 5-Shot Learning|CUB-200 - 0-Shot " +
		"Learning|Mini-ImageNet - 1-Shot Learning", "Accuracy;2%;40;99.5"},
	{"Aspect-Based Sentiment Analysis", "SemEval 2014 Task 4 Sub Task 2|Sentihood",
		"Restaurant (Acc);2;66;86|Laptop (Acc);2;60;80"},
	{"Visual Question Answering", "COCO Visual Question Answering (VQA) real images 1.0 open ended|COCO Visual " +
		"Question Answering (VQA) real images 1.0 multiple choice|VQA v2 test-dev",
		"Percentage correct;2;52;72"},
	{"Grammatical Error Detection", "FCE|CoNLL-2014 A1|CoNLL-2014 A2|JFLEG", "F0.5;2;14;60"},
	{"Pose Estimation", "Leeds Sports Poses|FLIC Elbows|FLIC Wrists|MPII Human Pose", "PCK;1%;60;94|PCK@0.2;1%;70;99"},
	{"Dependency Parsing", "Penn Treebank|Universal Dependencies", "UAS;2;88;97|LAS;2;85;95.5|POS;2;96;98"},
	{"Collaborative Filtering", "MovieLens 1M|MovieLens 20M|Netflix|Million Song Dataset|Douban",
		"Recall@20;3;0.1;0.45|Recall@50;3;0.2;0.6|RMSE;4;0.7;1.1"},
	{"Click-Through Rate Prediction", "Criteo|Avazu|Company*|Bing News", "AUC;4;0.66;0.9|Log Loss;5;0.02;0.5"},
	{"Image Generation", "CIFAR-10|LSUN Bedroom 256 x 256|CelebA-HQ 1024x1024|ImageNet 64x64",
		"Inception score;2;5;10|FID;2;6;60|NLL Test;2;2.8;5"},
	{"Pedestrian Detection", "Caltech|CityPersons|KITTI Pedestrians Hard", "Reasonable Miss Rate;1;5;40|Heavy " +
		"MR^-2;1;30;70"},
	{"Text Summarization", "GigaWord|DUC 2004 Task 1|CNN / Daily Mail (Anonymized)",
		"ROUGE-1;2;27;44|ROUGE-2;2;8;21|ROUGE-L;2;24;41"},
	{"Link Prediction", "FB15k|FB15k-237|WN18|WN18RR", "MRR;3;0.2;0.95|Hits@1;3;0.15;0.93|Hits@10;3;0.4;0.97"},
	{"Optical Flow Estimation", "Sintel-clean|Sintel-final|KITTI 2012|KITTI 2015", "Average End-Point Error;2;1.2;9"},
	{"Scene Text Detection", "IC13|IC15|IC17-MLT|SCUT-CTW1500|MSRA-TD500", "F-Measure;2%;50;93|Recall;1;45;90"},
	{"Person Re-Identification", "Market-1501|DukeMTMC-reID|CUHK03", "Rank-1;2;55;96|MAP;2;30;88"},
	{"6D Pose Estimation", "LineMOD|T-LESS|Occlusion LineMOD", "Accuracy;1%;30;98"},
	{"Table-to-text Generation", "WikiBio|Wikipedia Person and Animal Dataset|RotoWire", "BLEU;2;14;46|ROUGE;2;20;42"},
}

// scirexMetric is a metric and how its scores look. The form is the number of decimals, with a percent sign or not, or
// one of points (1,234 or 1234.5), size (380k or 1.7m) and M (22M).
type scirexMetric struct {
	name, form string
	low, high  float64
}

func parseScirexMetrics(text string) []scirexMetric {
	var all []scirexMetric

	for one := range strings.SplitSeq(text, "|") {
		part := strings.Split(one, ";")
		m := scirexMetric{name: part[0], form: part[1]}
		m.low, _ = strconv.ParseFloat(part[2], 64) // the tests read every metric
		m.high, _ = strconv.ParseFloat(part[3], 64)
		all = append(all, m)
	}

	return all
}

// score draws a score: as a text prints it, and whether the published files may hold it as a number.
func (m scirexMetric) score(rng *rand.Rand) (text string, number bool) {
	x := m.low + (m.high-m.low)*math.Pow(rng.Float64(), 0.8) // better results are more often published
	switch m.form {
	case "points":
		x = math.Exp(math.Log(m.low) + rng.Float64()*(math.Log(m.high)-math.Log(m.low)))
		if whole := int(x); rng.IntN(6) == 0 && whole >= 1000 {
			return fmt.Sprintf("%d,%03d", whole/1000, whole%1000), false
		}

		return pytext.FormatFixed(x, rng.IntN(2)), true
	case "size":
		if x := m.low * math.Pow(m.high/m.low, rng.Float64()); x >= 1 {
			return pytext.FormatFixed(x, 1) + "m", false
		} else {
			return pytext.FormatFixed(x*100, 0) + "0k", false
		}
	case "M":
		return pytext.FormatFixed(x, 0) + "M", false
	}

	digits, percent := strings.CutSuffix(m.form, "%")
	n, _ := strconv.Atoi(digits)

	text = pytext.FormatFixed(x, n)
	switch {
	case percent:
		return text + "%", false
	case n == 1 && rng.IntN(60) == 0:
		return text + "±0." + strconv.Itoa(1+rng.IntN(9)), false
	}

	return text, n > 0
}

// scirexName is a name as the published relations spell it: all but letters, digits and hyphens are underscores.
func scirexName(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '-' || '0' <= r && r <= '9' || 'a' <= r|0x20 && r|0x20 <= 'z' {
			return r
		}

		return '_'
	}, s)
}

// The parts of coined names.
var (
	scirexOnsets = strings.Fields("B Br C Ch D Dr F Fl G Gr H K Kl L M N P Pr Qu R S Sh St T Tr V W X Z")
	scirexVowels = strings.Fields("a e i o u ai ea io oa")
	scirexCodas  = strings.Fields("b d f g l m n nd p r rt s st t v x z")
	scirexEnds   = strings.Fields("Net GAN RNN CNN LSTM Former SVM Flow Seq2Seq VAE DQN BERT CRF ++ * -29 -101 " +
		"-DenseNet -MoS Nets")
)

// coin makes a word of one or two syllables.
func scirexCoin(rng *rand.Rand) string {
	pick := func(from []string) string { return from[rng.IntN(len(from))] }

	word := pick(scirexOnsets) + pick(scirexVowels) + pick(scirexCodas)
	if rng.IntN(2) == 0 {
		word += strings.ToLower(pick(scirexOnsets)) + pick(scirexVowels) + pick(scirexCodas)
	}

	return word
}

// scirexVariants are how a paper calls the variants of its method; %s stands for its name.
var scirexVariants = []string{
	"%s (ensemble)", "%s + dyn. eval.", "300D %s encoders", "%s w/ attn", "%s-large", "%s (single model)",
	"BiLSTM + %s", "%s + skip connections w/ CTC",
	"Past Decode Reg. + %s + dyn. eval.", "%s (MLE+SLE)", "Multi-task %s", "%s, 6 scales", "%s et al.",
	"%s + ELMo (char)", "DR-%s", "%s @ 512",
}
