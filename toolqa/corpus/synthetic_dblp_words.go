package corpus

// The words that titles, keywords and venues of synthetic papers are made of.
var (
	dblpAdjectives = splitList(`Sparse|Deep|Robust|Adaptive|Hierarchical|Self-Supervised|Federated|Bayesian|Distributed|Lightweight|Multi-Scale|
		Attention-Based|Graph-Based|Contrastive|Energy-Efficient|Privacy-Preserving|Interpretable|Stochastic|Semi-Supervised|Hybrid|
		Data-Driven|Secure|Real-Time|Low-Rank|Cooperative|Uncertainty-Aware|Evolutionary|Probabilistic|Dynamic|Fuzzy|Incremental|
		Domain-Adaptive|Blockchain-Enabled|Context-Aware|Model-Free|Scalable|Weakly-Supervised|Differentiable|Decentralized|Optimal`)
	dblpMethods = splitList(`Transformers|Convolutional Networks|Graph Neural Networks|Reinforcement Learning|Meta-Learning|Knowledge Distillation|
		Autoencoders|Swarm Optimization|Kalman Filtering|Tensor Decomposition|Hashing|Transfer Learning|Ensemble Learning|
		Genetic Algorithms|Gaussian Processes|Diffusion Models|Active Learning|Matrix Factorization|Random Forests|
		Adversarial Training|Model Predictive Control|Sliding-Mode Control|Prompt Tuning|Spiking Networks|Mixed-Integer Programming|
		Formal Verification|Program Synthesis|Static Analysis|Consensus Protocols|Compressed Sensing`)
	dblpTasks = splitList(`Object Detection|Intrusion Detection|Semantic Segmentation|Machine Translation|Question Answering|Traffic Forecasting|
		Load Balancing|Anomaly Detection|Link Prediction|Recommendation|Speech Recognition|Image Denoising|Medical Diagnosis|
		Task Offloading|Path Planning|Fault Diagnosis|Sentiment Analysis|Entity Resolution|Code Review|Energy Management|
		Pose Estimation|Resource Allocation|Stock Prediction|Fake News Detection|Malware Classification|Channel Estimation|
		Point Cloud Registration|Job-Shop Scheduling|Emotion Recognition|Plagiarism Detection|Crowd Counting|Text Summarization|
		Trajectory Prediction|Knowledge Graph Completion|Defect Prediction|Gait Recognition|Federated Search|Access Control|
		Photovoltaic Forecasting|Protein Structure Prediction`)
	dblpDomains = splitList(`Wireless Sensor Networks|Smart Grids|Autonomous Vehicles|Social Media|Edge Computing|the Internet of Things|Smart Cities|
		Remote Sensing|Electronic Health Records|Industrial Robots|Mobile Crowdsensing|5G Networks|Cloud Data Centers|E-Commerce|
		Unmanned Aerial Vehicles|Higher Education|Supply Chains|Software Repositories|Video Surveillance|Power Systems|
		Low-Resource Languages|Virtual Reality|Precision Agriculture|Satellite Networks|Bioinformatics|Legal Documents|
		Digital Libraries|Open-Source Projects|Maritime Transport|Aging Societies`)
	dblpOpenings = splitList(`Towards|Rethinking|Learning|Improving|Exploring|Beyond|Revisiting|Understanding|Benchmarking|Accelerating`)
	dblpEndings  = splitList(`: A Survey| - A Case Study|: An Empirical Study|: Challenges and Opportunities| (Extended Abstract)|
		: A Systematic Literature Review|: Theory and Practice|, Part II|: What Don't We Know?`)
	dblpSame = splitList(`Editorial.|Guest Editorial.|Preface.|Editor's Note|Introduction to the Special Issue.|Message from the Chairs.|Reviewers List`)

	dblpSeries = splitList(`IEEE Transactions on|International Journal of|Journal of|ACM Transactions on|Expert Systems for|Neural Computing and|
		International Conference on|IEEE International Workshop on|European Conference on|Symposium on|Advances in|COMPUTERS IN`)
	dblpFields = splitList(`Computer Vision|Machine Learning|Wireless Communications|Software Engineering|Robotics and Automation|Data Mining|
		Cybersecurity|Natural Language Processing|Control Systems|Human-Computer Interaction|Distributed Computing|Medical Imaging|
		Signal Processing|Information Systems|Databases|Computer Networks|Power Electronics|Bioinformatics|Multimedia|Education`)
	dblpDocTypes = splitList(`Journal|Journal|Conference|Conference|Conference|Repository|`)

	dblpGiven = splitList(`Wei|Jing|Li|Ming|Xiaoming|Yan|Hui|Jun|Yang|Lei|Chao|Junru|Zhenjia|Yinshuang|Hao|Tao|Qiang|Xin|Yu|Fang|Ling|Bo|Peng|Jiahui|
		Zihan|Yuxuan|Rui|Ting|Xuan|Shuai`)
	dblpFamily   = splitList(`Wang|Li|Zhang|Liu|Chen|Yang|Huang|Zhao|Wu|Zhou|Xu|Sun|Ma|Zhu|Hu|Guo|He|Lin|Gao|Luo|Zheng|Liang|Xie|Tang|Kim|Lee|Park|Nguyễn`)
	dblpAccented = splitList(`Müller|García|López|Sánchez|Gonçalves|Şahin|Çelik|Łukasiewicz|Novák|Dvořák|Sørensen|Ångström|Lefèvre|Béchamel|O'Brien|D'Angelo|
		Jørgensen|Kovács|Szabó|Pérez|Núñez|Petrović|Horváth|Öztürk|Schröder|Muñoz|Brûlé|Đorđević|Hernández|van den Broek`)
	dblpSchools = splitList(`University of|%s University|%s University of Technology|%s Institute of Technology|Technical University of|National University of|
		%s State University|Polytechnic of|%s Res Inst|Academy of Sciences in`)
	dblpUnits = splitList(`Department of Computer Science|School of Software|Faculty of Engineering|Sch Comp Sci & Engn|Institute of Informatics|
		College of Information Science|Dept Elect Engn|AI Lab|Fraunhofer Institute|Lab of Intelligent Systems`)
)
